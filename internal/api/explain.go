package api

import (
	"cmp"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/duration"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// status is the command that shows the address.
func status() failure.Command { return failure.Run("hobnob status") }

// Failure implements failure.Explainer for a request that is not in the history.
func (e *Error) Failure() failure.Failure { return e.Explain(false) }

// Explain returns the Failure of the request. Recorded reports whether its question
// is in the history, from which it can be resent.
func (e *Error) Explain(recorded bool) failure.Failure {
	f := failure.Failure{Kind: e.Kind, Status: e.Status, Hint: e.hint(recorded)}
	if e.Kind == failure.Unknown && recorded {
		f.Again = failure.Hintf("to resend it: %s", failure.Run("hobnob resend"))
	}
	return f
}

func (e *Error) hint(recorded bool) failure.Hint {
	asked := strings.HasPrefix(e.Op, "POST ")
	again, accepted := "ask again", "the service may have accepted the question"
	switch {
	case !asked:
		again = "retry"
	case !recorded:
		accepted += ", and nothing was saved"
	}
	maybe := ""
	if asked && e.MaybeAccepted {
		maybe = "; " + accepted
	}
	switch {
	case e.Kind == failure.NotSent:
		return failure.Hintf("nothing was sent; %s; to diagnose it: %s", CauseOf(e).Fix(), failure.Run("hobnob doctor"))
	case e.Kind == failure.Auth && e.refused != nil:
		return e.refused(e.Status)
	case e.Kind == failure.Limited && e.RetryAfter == maxRetryAfter:
		return failure.Hintf("the service asks you to wait a day or longer; then %s%s", again, maybe)
	case e.Kind == failure.Limited && e.RetryAfter > 0:
		return failure.Hintf("the service asks you to wait %s; then %s%s", duration.Seconds(e.RetryAfter), again, maybe)
	case e.Kind == failure.Limited:
		return failure.Hintf("wait a moment, then %s%s", again, maybe)
	case e.Kind == failure.Broken:
		return failure.Hintf("check that the base URL belongs to an Agent Chat Service: %s%s", status(), maybe)
	case e.Kind == failure.Refused:
		return e.refusal(asked, again, maybe)
	case e.Kind == failure.Unknown && recorded:
		return failure.Hintf("%s; it was not retried, and its outcome is recorded as unknown", accepted)
	case e.Kind == failure.Unknown && asked:
		return failure.Hintf("%s; it was not retried", accepted)
	case e.Kind == failure.Unknown:
		return failure.Plain(again) // the request changes nothing
	}
	return failure.Hint{}
}

// refusal returns the hint for a response that is not 2xx.
func (e *Error) refusal(asked bool, again, maybe string) failure.Hint {
	switch {
	case e.Status == 404 && asked:
		return failure.Hintf("check the base URL and the agent: %s; to correct the UUID of an alias: %s", status(), failure.Run("hobnob agents add ALIAS UUID"))
	case e.Status == 404:
		return failure.Hintf("check the base URL and the agent: %s", status())
	case e.Status >= 300 && e.Status < 400:
		return failure.Hintf("the service has another address; set it with: %s%s", failure.Run("hobnob config set base_url URL"), maybe).AfterRestart()
	case e.Status == 413:
		return failure.Plain("the question and its context are too large; use --history N or shorter files")
	}
	return failure.Plain("the question was not accepted; correct it and " + again)
}

// Failure implements failure.Explainer.
func (e *ConfigError) Failure() failure.Failure {
	f := failure.Failure{Kind: failure.Config}
	switch e.Setting {
	case "base_url":
		f = failure.Of(e.Err)
	case "agent":
		f.Hint = failure.Hintf("an agent is a UUID or an alias: %s", failure.Run("hobnob agents list"))
	case "messages":
		f.Hint = failure.Plain("shorten the prompt or omit a file")
	case "":
	default:
		f.Hint = failure.Hintf("see: %s", failure.Run("hobnob config list --show-source"))
	}
	return f
}

// Fix returns the hint for the cause.
func (c Cause) Fix() failure.Hint {
	return c.fix("base URL", "the service")
}

// ProxyFix returns the hint for the cause if the proxy could not be reached.
func (c Cause) ProxyFix() failure.Hint { return c.fix("address of the proxy", "the proxy") }

// IssuerFix returns the hint for the cause if the OAuth issuer could not be reached.
func (c Cause) IssuerFix() failure.Hint { return c.fix("address of the issuer", "the issuer") }

func (c Cause) fix(address, other string) failure.Hint {
	if c == CauseAuthority {
		return failure.Hintf("to trust your own certificate authority: %s", failure.Run("hobnob config set ca_file FILE")).AfterRestart()
	}
	const owner = "ask the operator of the service to fix its TLS configuration; an intercepting proxy may also be the cause"
	hint := failure.Plain(cmp.Or(map[Cause]string{
		CauseNoHost:       "check the host name in the " + address + ", and that this machine is online; a private name may need a VPN",
		CauseResolver:     "check the network: the name server does not answer",
		CauseRefused:      "check the host and the port in the " + address + ", and that " + other + " is running",
		CauseUnreachable:  "check the network",
		CauseTimeout:      "check the network, the firewall, and whether this network needs a proxy (HTTPS_PROXY)",
		CauseProxyAddress: "set HTTPS_PROXY to an address such as http://proxy.example.com:3128, or unset it",
		CauseProxyLogin:   "set the user name and password of the proxy: HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT",
		CauseProxy:        "check HTTPS_PROXY; the proxy must allow this host, or NO_PROXY must list it",
		CauseExpired:      "check the clock of this machine, or ask the operator of the service to renew the certificate",
		CauseNotYetValid:  "correct the clock of this machine",
		CauseWrongName:    "use a " + address + " with a name in the certificate",
		CauseNotTLS:       "check the port in the " + address + "; a service on this machine may need http:// instead of https://",
		CauseCertificate:  owner,
		CauseTLS:          owner,
	}[c], "check the network and the address"))
	if c == CauseProxyAddress || c == CauseProxyLogin || c == CauseProxy || c == CauseWrongName || c == CauseNotTLS {
		return hint.AfterRestart()
	}
	return hint
}
