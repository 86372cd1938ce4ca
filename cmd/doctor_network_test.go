package cmd

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// startNetwork implements the command network, which starts a server on loopback and
// sets the variable NAME to its address.
//
//	certificate NAME [DAYS [HOST]]  TLS with a certificate for HOST (127.0.0.1) that expires in DAYS (30), written to NAME.pem
//	mute NAME                       accepts connections and never answers
//	clock NAME SHIFT                HTTP whose date is shifted
//	proxy NAME [STATUS|URL]         a proxy that responds with STATUS, or connects all hosts to URL
func startNetwork(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: network KIND NAME [ARG…]")
	}
	kind, name, args := args[0], args[1], append(args[2:], "", "")
	var handler http.HandlerFunc
	switch kind {
	case "certificate":
		handler = refuse
	case "clock":
		shift, err := time.ParseDuration(args[0])
		ts.Check(err)
		handler = func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Date", time.Now().Add(shift).UTC().Format(http.TimeFormat))
			refuse(w, r)
		}
	case "proxy":
		handler = func(w http.ResponseWriter, _ *http.Request) { forward(w, args[0]) }
	case "mute":
		l, err := net.Listen("tcp", "127.0.0.1:0")
		ts.Check(err)
		ts.Defer(func() { _ = l.Close() })
		ts.Setenv(name, l.Addr().String())
		return
	default:
		ts.Fatalf("unknown kind %q", kind)
	}
	s := httptest.NewUnstartedServer(handler)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	ts.Defer(s.Close)
	if kind == "certificate" {
		certificate, err := makeCertificate(args[0], args[1])
		ts.Check(err)
		s.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
		s.StartTLS()
		text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]})
		ts.Check(os.WriteFile(ts.MkAbs(name+".pem"), text, 0o600))
	} else {
		s.Start()
	}
	ts.Setenv(name, s.URL)
}

func refuse(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusUnauthorized)
}

// forward connects to the URL target, or responds with target as the status.
func forward(w http.ResponseWriter, target string) {
	address, isURL := strings.CutPrefix(target, "https://")
	if !isURL {
		code, _ := strconv.Atoi(target)
		w.WriteHeader(max(code, http.StatusBadRequest))
		return
	}
	there, err := net.Dial("tcp", address)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	here, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		_ = there.Close()
		return
	}
	_, _ = io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
	go func() { _, _ = io.Copy(there, here); _ = there.Close() }()
	go func() { _, _ = io.Copy(here, there); _ = here.Close() }()
}

func makeCertificate(days, host string) (tls.Certificate, error) {
	if days == "" {
		days = "30"
	}
	lasts, err := time.ParseDuration(days + "h")
	if err != nil {
		return tls.Certificate{}, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: now.AddDate(-1, 0, 0), NotAfter: now.Add(24*lasts + time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	if host == "" {
		template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	} else {
		template.DNSNames = []string{host}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}
