package api

import (
	"cmp"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/baseurl"
	"github.com/hobnob-cli/hobnob/internal/duration"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// status is where a user looks when the address may be wrong.
func status() failure.Command { return failure.Run("hobnob status") }

// Failure implements failure.Explainer for a request that no history records.
func (e *Error) Failure() failure.Failure { return e.Explain(false) }

// Explain returns the Failure of the request. Recorded says that its question is
// in the history, from where it can be sent again.
func (e *Error) Explain(recorded bool) failure.Failure {
	return failure.Failure{Kind: e.Kind, Status: e.Status, Hint: e.hint(recorded)}
}

func (e *Error) hint(recorded bool) failure.Hint {
	asked := strings.HasPrefix(e.Op, "POST ")
	again, accepted := "ask again", "the service may have accepted the question"
	switch {
	case !asked:
		again = "try again"
	case !recorded:
		accepted += ", and nothing of it was kept"
	}
	maybe := ""
	if asked && e.MaybeAccepted {
		maybe = "; " + accepted
	}
	switch {
	case e.Kind == failure.NotSent:
		return failure.Hintf("nothing was sent; %s; to see where it fails: %s", CauseOf(e).Fix(), failure.Run("hobnob doctor"))
	case e.Kind == failure.Auth && e.refused != nil:
		return e.refused(e.Status)
	case e.Kind == failure.Limited && e.RetryAfter > 0:
		return failure.Hintf("the service asks to wait %s; %s then%s", duration.Seconds(e.RetryAfter), again, maybe)
	case e.Kind == failure.Limited:
		return failure.Hintf("wait a little and %s%s", again, maybe)
	case e.Kind == failure.Broken:
		return failure.Hintf("check that the base URL is that of an Agent Chat Service: %s%s", status(), maybe)
	case e.Kind == failure.Refused:
		return e.refusal(asked, again, maybe)
	case e.Kind == failure.Unknown && recorded:
		return failure.Hintf("%s; it was not sent again, and its turn is kept as unknown; to send it again: %s", accepted, failure.Run("hobnob resend"))
	case e.Kind == failure.Unknown && asked:
		return failure.Hintf("%s; it was not sent again", accepted)
	case e.Kind == failure.Unknown:
		return failure.Plain(again) // nothing can have changed
	}
	return failure.Hint{}
}

// refusal is the hint of an answer that is not 2xx.
func (e *Error) refusal(asked bool, again, maybe string) failure.Hint {
	switch {
	case e.Status == 404 && asked:
		return failure.Hintf("check the base URL and the agent: %s; an alias with the wrong UUID is corrected by: %s", status(), failure.Run("hobnob agents add ALIAS UUID"))
	case e.Status == 404:
		return failure.Hintf("check the base URL and the agent: %s", status())
	case e.Status >= 300 && e.Status < 400:
		return failure.Hintf("the service answers elsewhere; set that address: %s%s", failure.Run("hobnob config set base_url URL"), maybe)
	case e.Status == 413:
		return failure.Plain("the question with its context is too large; send less with --history N, or shorter files")
	}
	return failure.Plain("nothing was accepted; correct the request and " + again)
}

// Failure implements failure.Explainer.
func (e *ConfigError) Failure() failure.Failure {
	f := failure.Failure{Kind: failure.Config}
	switch e.Setting {
	case "base_url":
		f.Hint = baseurl.Hint()
	case "agent":
		f.Hint = failure.Hintf("an agent is a UUID or an alias: %s", failure.Run("hobnob agents list"))
	case "messages":
		f.Hint = failure.Plain("shorten the prompt, or leave a file out")
	case "":
	default:
		f.Hint = failure.Hintf("see: %s", failure.Run("hobnob config list --show-source"))
	}
	return f
}

// Fix returns what to do about the cause.
func (c Cause) Fix() failure.Hint {
	return c.fix("base URL", "the service")
}

// ProxyFix returns what to do about the cause where the proxy is what was not
// reached.
func (c Cause) ProxyFix() failure.Hint { return c.fix("address of the proxy", "the proxy") }

func (c Cause) fix(address, other string) failure.Hint {
	if c == CauseAuthority {
		return failure.Hintf("if the certificate comes from an authority of your own, name its PEM file: %s", failure.Run("hobnob config set ca_file FILE"))
	}
	const owner = "the owner of the service has to mend its TLS; a proxy that reads along may be the cause, too"
	return failure.Plain(cmp.Or(map[Cause]string{
		CauseNoHost:       "check the host name in the " + address + ", and that this machine is online; a private name may need its VPN",
		CauseResolver:     "check the network: the name server gives no answer",
		CauseRefused:      "check the host and the port in the " + address + ", and that " + other + " runs",
		CauseUnreachable:  "check the network",
		CauseTimeout:      "check the network, the firewall, and whether this network needs a proxy (HTTPS_PROXY)",
		CauseProxyAddress: "set HTTPS_PROXY like http://proxy.example.com:3128, or unset it",
		CauseProxyLogin:   "give the proxy a user name and a password: HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT",
		CauseProxy:        "check HTTPS_PROXY; whoever runs the proxy has to allow this host, or NO_PROXY has to name it",
		CauseExpired:      "the owner of the service has to renew the certificate; check the clock of this machine, too",
		CauseNotYetValid:  "set the clock of this machine",
		CauseWrongName:    "use a " + address + " with a name that is in the certificate",
		CauseNotTLS:       "check the port in the " + address + "; a service on this machine may need http:// instead of https://",
		CauseCertificate:  owner,
		CauseTLS:          owner,
	}[c], "check the network and the address"))
}
