package service

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// Limits of the listing. The default is from the interface (section 8).
const (
	defaultLimit = 10
	maxLimit     = 100
)

// listing is the body of the listing.
type listing struct {
	Object  string         `json:"object"` // always "list"
	Data    []Conversation `json:"data"`
	HasMore bool           `json:"has_more"`
}

// list answers GET on the conversations collection (interface, section 4.2).
func (h *handler) list(w http.ResponseWriter, r *http.Request) {
	limit := defaultLimit
	if text := r.URL.Query().Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			writeError(w, http.StatusBadRequest, "invalid_request", "limit must be a positive number; at most "+strconv.Itoa(maxLimit)+" conversations are listed")
			return
		}
		limit = min(n, maxLimit)
	}
	data, more, err := h.Store.List(r.Context(), h.Client, limit)
	if err != nil {
		h.Report(err)
		writeError(w, http.StatusInternalServerError, "internal", "cannot read the conversations")
		return
	}
	if data == nil {
		data = []Conversation{}
	}
	writeJSON(w, http.StatusOK, listing{Object: "list", Data: data, HasMore: more})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(body) // fails only if the client disconnected
}

func writeError(w http.ResponseWriter, status int, code, message string) {
	writeJSON(w, status, map[string]any{"error": map[string]string{"code": code, "message": message}})
}
