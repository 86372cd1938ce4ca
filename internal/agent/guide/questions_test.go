package guide

import (
	"strings"
	"testing"
)

// questions are what newcomers type, with the section that must come first.
var questions = []struct{ asked, section string }{
	// getting started
	{"which commands are there?", "Get help on a command"},
	{"what is hobnob?", "What hobnob is"},
	{"what does this program hobnob actually do", "What hobnob is"},
	{"how do I get started?", "Ask your first question"},
	{"how do I start?", "Ask your first question"},
	{"my first question", "Ask your first question"},
	{"how can I install it?", "Install hobnob"},
	{"homebrew?", "Install hobnob"},
	{"where is the documentation for a command?", "Get help on a command"},
	{"is there a man page", "Get help on a command"},
	{"tab completion for zsh", "Set up shell completion"},
	{"how to enable autocomplete in my shell", "Set up shell completion"},
	{"which version am I running?", "See which version you have"},

	// asking
	{"how do I ask a single question", "Ask one question"},
	{"my question has an exclamation mark and quotes in it", "Quote special characters"},
	{"can I compose the prompt in vim?", "Write a long question in an editor"},
	{"use my editor for writing a message", "Write a long question in an editor"},
	{"is there an interactive mode?", "Chat in a terminal"},
	{"how do I leave the interactive chat", "Chat in a terminal"},
	{"show the request without sending it", "Preview a request without sending it"},
	{"dry run", "Preview a request without sending it"},
	{"how many tokens did my question use?", "See how many tokens an answer cost"},
	{"what does --usage do", "See how many tokens an answer cost"},
	{"it takes too long, how can I set a timeout", "Set a time limit"},
	{"how do I cancel a running request", "Stop a question that is under way"},

	// piping and files
	{"how do I pipe a file into a chat?", "Pipe a file into a chat"},
	{"how do i pip a fiel into a caht", "Pipe a file into a chat"},
	{"feed a text file to chat via stdin", "Pipe a file into a chat"},
	{"can I redirect a file into hobnob?", "Pipe a file into a chat"},
	{"send the output of another command to the chat", "Pipe the output of a command into a chat"},
	{"pipe git diff into hobnob", "Pipe the output of a command into a chat"},
	{"attach two documents to my question", "Add files to a question"},
	{"what's the -f flag for", "Add files to a question"},
	{"inclued several flies in one prompt", "Add files to a question"},
	{"can the whole prompt come from standard input?", "Read the question from standard input"},
	{"in which order are arguments, files and stdin joined?", "How a prompt is put together"},
	{"does it understand UTF-16 files?", "Encodings and binary files"},
	{"can I send a binary file", "Encodings and binary files"},
	{"what is the maximum size of a prompt?", "Size limits"},
	{"store the reply in a file", "Save an answer to a file"},
	{"write the answer to disk as answer.md", "Save an answer to a file"},

	// continuing
	{"how do I continue my last conversation?", "Continue the last conversation"},
	{"carry on where I left off", "Continue the last conversation"},
	{"ask a follow up question", "Continue the last conversation"},
	{"resume an older chat by its title", "Continue an earlier conversation"},
	{"contineu an earlier conversaton", "Continue an earlier conversation"},
	{"send fewer previous messages as context", "Limit the context that is sent"},
	{"what is --history", "Limit the context that is sent"},
	{"begin a fresh conversation", "Begin a new conversation"},
	{"rename or title a conversation", "Rename a conversation"},
	{"what if two terminals continue the same conversation at once?", "Continue one conversation from two terminals"},

	// conversations
	{"how do I see my old chats?", "List your conversations"},
	{"list the last 3 conversations", "List your conversations"},
	{"show more than ten conversations", "List your conversations"},
	{"list conversations offline", "List conversations without a network"},
	{"only conversations with the reviewer agent", "List the conversations of one agent"},
	{"conversation list in json", "List conversations as JSON"},
	{"how long is a conversation id? can I shorten it", "Conversation ids"},

	// agents
	{"what's an agent?", "What an agent is"},
	{"talk to a different agent", "Choose the agent for a question"},
	{"which flag picks the agent", "Choose the agent for a question"},
	{"register a new agent uuid under a name", "Add an agent"},
	{"which agents do I have?", "List your agents"},
	{"make reviewer my default agent", "Set the default agent"},
	{"delete an agent alias", "Remove an agent"},
	{"what does the echo agent do", "The echo agent"},

	// connecting
	{"how do I connect to a real service?", "Connect a service"},
	{"conect my companys servcie", "Connect a service"},
	{"switch between work and private profiles", "Use several services"},
	{"what is a profile", "Use several services"},
	{"what goes into the base url", "The base URL"},
	{"can I use http instead of https", "Use plain HTTP"},
	{"self-signed certificate", "Trust your own certificate authority"},
	{"custom CA", "Trust your own certificate authority"},
	{"I am behind a corporate firewall", "Go through a proxy"},
	{"proxy settings", "Go through a proxy"},
	{"am I logged in?", "Check the connection"},
	{"is my token valid? how do I check", "Check the connection"},
	{"can I use hobnob without internet?", "Work offline"},

	// tokens
	{"how do I log in?", "Log in with a token"},
	{"where do I put my api key", "Log in with a token"},
	{"login in CI without a prompt", "Log in from a script"},
	{"where does hobnob look for the token?", "Where the token comes from"},
	{"pass the token as an environment variable", "Pass the token in the environment"},
	{"get the key from my password manager", "Fetch the token from a password manager"},
	{"use pass or 1password for the token", "Fetch the token from a password manager"},
	{"there is no keyring on my server", "Store the token without a keyring"},
	{"what does --insecure-storage do?", "Store the token without a keyring"},
	{"my keychain is locked", "When the keyring is locked or missing"},
	{"my token has expired", "Renew a token"},
	{"sign out", "Log out"},
	{"remove my credentials from this computer", "Log out"},

	// configuration
	{"where is the config file?", "Find the configuration file"},
	{"how do I change a setting", "Change a setting"},
	{"unset an option", "Change a setting"},
	{"show all settings and where they come from", "See the settings in force"},
	{"open the configuration in my editor", "Edit the configuration file"},
	{"does a flag override an environment variable?", "Which setting takes precedence"},
	{"which environment variables are there?", "Environment variables"},
	{"sample config yaml", "An example configuration"},

	// output
	{"how is markdown rendered?", "How answers are shown"},
	{"I want the raw markdown, not rendered", "Print the raw answer"},
	{"plain text output", "Print the raw answer"},
	{"machine readable output", "Print JSON"},
	{"disable colors", "Turn off colours"},
	{"no clours please", "Turn off colours"},
	{"change the theme to light", "Change the style of answers"},
	{"hide the notes on stderr", "Silence notes"},
	{"print the http headers for debugging", "See the requests"},

	// scripting
	{"use hobnob from a shell script", "Use hobnob in a script"},
	{"what do the exit codes mean?", "Exit codes"},
	{"list of return codes", "Exit codes"},
	{"extract a field with jq", "Take fields out of JSON with jq"},
	{"how does a script get the error message as json", "Errors as JSON"},
	{"does it retry when the network fails?", "When hobnob tries again"},
	{"loop over many files and ask about each", "Ask about each of many files"},

	// privacy
	{"what do you store on my disk?", "What is stored on this machine"},
	{"where is my data kept?", "Where files live"},
	{"in which folder is the history database", "Where files live"},
	{"ask something without recording it", "Ask without saving"},
	{"don't save this question", "Ask without saving"},
	{"what does the service get to see?", "What is sent to the service"},
	{"erase all my history", "Delete everything"},
	{"how do I delete a conversation", "Delete a conversation"},

	// serving
	{"run my own server", "Run the service yourself"},
	{"can I host the service locally", "Run the service yourself"},
	{"serve on another port", "Choose the address and port"},
	{"choose a fixed token for my server", "Choose the token of your service"},
	{"call the api with curl", "Try the service with curl"},
	{"make hobnob talk to my own server", "Point hobnob at your own service"},

	// troubleshooting
	{"what does exit code 6 mean?", "Exit code 6: the outcome is unknown"},
	{"hobnob exited with 9", "Exit code 9: answered but not saved"},
	{"401 unauthorized", "Exit code 4: authentication"},
	{"connection refused", "Exit code 5: not sent"},
	{"error 429 too many requests", "Exit code 7: rate-limited or unavailable"},
	{"exit status 2", "Exit code 2: usage or configuration"},
	{"exit code 130", "Exit codes 130 and 143: interrupted"},
	{"agent not found", "Exit code 3: not found"},

	// Windows
	{"how do I use hobnob in powershell", "Use hobnob in PowerShell"},
	{"environment variable in powershell", "Set an environment variable in PowerShell"},
	{"umlauts are broken in powershell", "Keep UTF-8 in PowerShell"},

	// a second round, in other words
	{"how do i feed a log file to the bot", "Pipe a file into a chat"},
	{"Can I cat a file into this?", "Pipe a file into a chat"},
	{"send contents of notes.txt with my question", "Pipe a file into a chat"},
	{"how to use stdin", "Read the question from standard input"},
	{"how do I include source code files", "Add files to a question"},
	{"where are my conversations saved", "Where files live"},
	{"where's the database", "Where files live"},
	{"how do I turn off history", "Ask without saving"},
	{"incognito mode", "Ask without saving"},
	{"is anything sent to the cloud?", "What is sent to the service"},
	{"is my data private", "What is stored on this machine"},
	{"do you collect telemetry", "What is sent to the service"},
	{"continue yesterday's chat", "Continue an earlier conversation"},
	{"go back to a previous conversation", "Continue an earlier conversation"},
	{"show me my recent conversations", "List your conversations"},
	{"limit the number of conversations shown", "List your conversations"},
	{"what does --limit do", "List your conversations"},
	{"what does -C do", "Continue an earlier conversation"},
	{"what is -c", "Continue the last conversation"},
	{"-r", "Print the raw answer"},
	{"--no-save", "Ask without saving"},
	{"what does --with-token do?", "Log in from a script"},
	{"how to authenticate", "Log in with a token"},
	{"i have an api key, how do I use it", "Log in with a token"},
	{"logout", "Log out"},
	{"how do I change the base url", "The base URL"},
	{"set a default agent", "Set the default agent"},
	{"how do i choose another model", "Choose the agent for a question"},
	{"can I use ssl with a private certificate?", "Trust your own certificate authority"},
	{"x509: certificate signed by unknown authority", "Trust your own certificate authority"},
	{"certificate error", "Trust your own certificate authority"},
	{"proxy", "Go through a proxy"},
	{"offline", "Work offline"},
	{"colours", "Turn off colours"},
	{"get rid of colors in the output", "Turn off colours"},
	{"jq", "Take fields out of JSON with jq"},
	{"json output", "Print JSON"},
	{"get the answer as json", "Print JSON"},
	{"only print the reply without formatting", "Print the raw answer"},
	{"what happens when I get rate limited", "Exit code 7: rate-limited or unavailable"},
	{"my request timed out", "Set a time limit"},
	{"what does exit code 5 mean", "Exit code 5: not sent"},
	{"it says unauthorized", "Exit code 4: authentication"},
	{"log in failed", "Exit code 4: authentication"},
	{"server returned 500", "Exit code 6: the outcome is unknown"},
	{"disk is full", "Exit code 9: answered but not saved"},
	{"does it resend automatically", "When hobnob tries again"},
	{"how do I set the number of retries", "When hobnob tries again"},
	{"run a local server", "Run the service yourself"},
	{"how to start the server on port 9000", "Choose the address and port"},
	{"curl example", "Try the service with curl"},
	{"edit config", "Edit the configuration file"},
	{"where is config.yaml", "Find the configuration file"},
	{"use an alternate config", "Find the configuration file"},
	{"environment variables", "Environment variables"},
	{"HOBNOB_TOKEN", "Pass the token in the environment"},
	{"how do I use bitwarden", "Fetch the token from a password manager"},
	{"keyring", "When the keyring is locked or missing"},
	{"does hobnob work on windows", "Use hobnob in PowerShell"},
	{"bash completion", "Set up shell completion"},
	{"debug mode", "See the requests"},
	{"can it read pdf files?", "Encodings and binary files"},
	{"how big can a file be", "Size limits"},
	{"my file is too big", "Size limits"},
	{"preview what will be sent", "Preview a request without sending it"},
	{"dark mode", "Change the style of answers"},
	{"save output to markdown file", "Save an answer to a file"},
	{"how are tokens counted", "See how many tokens an answer cost"},
	{"do I pay per token", "See how many tokens an answer cost"},
	{"porcess many files in a loop", "Ask about each of many files"},
	{"swich profile", "Use several services"},
	{"environemtn varialbes", "Environment variables"},
	{"powershel", "Use hobnob in PowerShell"},
	{"hwo to isntall hobnob", "Install hobnob"},
	{"how can i upgrade", "Install hobnob"},
	{"conversation id", "Conversation ids"},
	{"list conversations", "List your conversations"},
	{"chat history", "List your conversations"},
	{"delete conversation", "Delete a conversation"},
	{"clear history", "Delete everything"},
	{"log in to my company server", "Connect a service"},
	{"agents", "What an agent is"},
	{"multi-line question", "Write a long question in an editor"},
	{"-e", "Write a long question in an editor"},
	{"what's the uuid of the echo agent", "The echo agent"},
	{"what is the local profile", "Work offline"},
	{"does it need internet", "Work offline"},
	{"from cron", "Use hobnob in a script"},
	{"unicode characters look wrong", "Encodings and binary files"},
	{"does it support markdown tables", "How answers are shown"},
}

func TestAQuestionInOrdinaryWordsFindsItsSection(t *testing.T) {
	g := newTestGuide(t)
	failed := 0
	for _, q := range questions {
		if got := heading(g.Answer([]string{q.asked})); got != q.section {
			failed++
			t.Errorf("%q\n\tfound %q\n\twant  %q", q.asked, got, q.section)
		}
	}
	t.Logf("%d of %d questions found their section", len(questions)-failed, len(questions))
}

// heading returns the heading of the first section in an answer, without the
// name of a variant, or its first line.
func heading(answer string) string {
	line, _, _ := strings.Cut(answer, "\n")
	line = strings.TrimPrefix(line, "## ")
	for _, p := range platforms {
		line = strings.TrimSuffix(line, " ("+p.name+")")
	}
	return line
}
