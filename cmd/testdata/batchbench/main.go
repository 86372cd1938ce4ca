// Batchbench has the parts of BenchmarkBatch that run as processes of their own:
//
//	batchbench service                  answer each prompt with itself; prints the URL
//	                                    as JSON, like hobnob serve
//	batchbench loop URL ROWS N          send ROWS requests, N at a time, and check the status
//	batchbench measure CMD ARG…         run a command; prints its time and CPU time in
//	                                    nanoseconds, and its peak memory in KiB
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"reflect"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type request struct {
	AgentID  string    `json:"agentId"`
	Messages []message `json:"messages"`
}

func main() {
	switch os.Args[1] {
	case "service":
		serve()
	case "loop":
		rows, _ := strconv.Atoi(os.Args[3])
		concurrency, _ := strconv.Atoi(os.Args[4])
		loop(os.Args[2]+"/api/v1/chat", rows, concurrency)
	case "measure":
		measure()
	}
}

func serve() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Printf("{\"base_url\":\"http://%s\"}\n", listener.Addr())
	panic(http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var got request
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		body, _ := json.Marshal(map[string]any{
			"id": "chatcmpl-00000000000000000000000000000000", "conversation_id": "0b6f2f0e-8d0c-4f0e-9d4e-3a5b1c2d3e4f",
			"object": "chat.completion", "created": 1750000000.25, "model": "m",
			"choices": []any{map[string]any{"index": 0, "message": message{"assistant", got.Messages[0].Content}, "finish_reason": "stop"}},
			"usage":   map[string]int{"prompt_tokens": 20, "completion_tokens": 60, "total_tokens": 80},
		})
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	})))
}

func loop(url string, rows, concurrency int) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: concurrency}}
	var next atomic.Int64
	var workers sync.WaitGroup
	for range concurrency {
		workers.Go(func() {
			for i := int(next.Add(1)); i <= rows; i = int(next.Add(1)) {
				body, _ := json.Marshal(request{os.Getenv("HOBNOB_AGENT"), []message{{"user", prompt(i)}}})
				request, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
				if err != nil {
					panic(err)
				}
				request.Header.Set("Content-Type", "application/json")
				request.Header.Set("Authorization", "Bearer "+os.Getenv("HOBNOB_TOKEN"))
				response, err := client.Do(request)
				if err != nil {
					panic(err)
				}
				if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
					panic(fmt.Sprint(response.Status, err))
				}
				_ = response.Body.Close()
			}
		})
	}
	workers.Wait()
}

// prompt returns the prompt of a row, of about 100 characters, as in BenchmarkBatch.
func prompt(i int) string {
	return fmt.Sprintf("question %d: which of the many ways to describe the colour of the sky at dusk is the shortest one?", i)
}

// measure runs a command. On Linux, the peak memory of a process is at least that of the
// one that started it, so this program is small.
func measure() {
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	cmd.Stderr = os.Stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	took := time.Since(start)
	memory := int64(0)
	// The type is *syscall.Rusage except on Windows, where it has no memory.
	if peak := reflect.Indirect(reflect.ValueOf(cmd.ProcessState.SysUsage())).FieldByName("Maxrss"); peak.IsValid() {
		memory = peak.Int()
	}
	fmt.Println(int64(took), int64(cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()), memory)
}
