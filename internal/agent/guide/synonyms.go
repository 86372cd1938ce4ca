package guide

import "strings"

// stopWords carry the grammar or the politeness of a question and not its
// subject.
const stopWords = `a about above actually after again all already also although always am among an and any
anybody anyhow anyone anything anyway are around as at away back basically be because been before being below best
better between both but by came can cannot cant come correct could couldnt day did didnt do does doesnt doing done
dont down each easiest easily easy either else ensure especially etc even ever every exact exactly explain far few find for from
fully gave get gets getting give given gives go goes going gonna good got great had happen happened happening happens has
hasnt havent having he hello help her here hey hi him his hope how however i if ill im in instead into is isnt
it its itself ive just keeps kind know learn let lets like little look looking lot lots made make makes making
many may maybe me mean meaning means might mine more most much must my myself need needed needs neither never next nice no
nor not nothing now of off often oh ok okay on once one ones only onto or others otherwise our out over
people per please exist exists existing alternate alternative
versus vs detail details possible possibly properly quick quickly quite rather really right said same say says
seem seems shall she should shouldnt simple simplest simply since so some somebody somehow someone something sometimes somewhere soon sort still
such suppose supposed sure take takes tell than thank thanks that thats the their theirs them themselves then there
theres these they theyre thing things think this those though through thus to today told too tool toward towards tried
trying try under until up upon us use used useful uses using usual usually very via want wanted wants was
wasnt way ways we well went were werent what whatever whats when whenever wheres whether which while who whom whos whose
will wish with within wont wonder wondering work working works would wouldnt wrote yes yet you your yours yourself
good morning evening afternoon anyways understand understands greetings cheers bye goodbye sup yo`

// faintWords say something about the subject but name none. They help to rank
// sections and count neither for nor against knowing the answer.
const faintWords = `accidentally afterwards ago allow alone analyse analyze another apart appear appears arrive automatically avoid
basic become beforehand behave big bit bring call called case cases cause certain chance change check clean close
common contact contacting contain correctly current custom daily damn deal decide default depend describe despite
difference different directly disable display doubt earlier enable enough enter entered entire everyday everything exceed
exceeded expect explicit explicitly fast faster feature features fill final finally finish first five fix flag
flags follow following force four friday full funny group guess guy guys half hand handle hard have hear hold hour
hourly hours huge hundred idea ideas immediately important improve include inform inside integrate integration
interesting issue january kinds last later latest least left less level live living long lose main manage matter
meanwhile mention middle minimum minute minutes mistake mode monday month move multiple near nearby necessary new
notice object offer old other outside own parameter part particular pass past perhaps place plan point prefer
prevent problem proper provide pull purpose push put rarely reach read reading ready real reason receive recent
recommend recommended regular reject rejected related remain require respect respond rest restart restarting
restrict return run saturday second seconds see sense serious several short show side similar similarly single
small solve speak special specific specify stand stay step stick strange stuff stupid success successfully sudden
suddenly suggest suit suitable sunday supply support supported switch task tasks temporary ten tend terminal third
three thursday time times tiny tip tips together topic touch trick trouble true truly tuesday turn turns two ugly
unable unfortunately unknown unwanted user users valid various visit wait watch wednesday week weekly weird where
whole why wide without worry write yesterday yesterdays`

// synonyms are groups of words of which people say one and the manual another.
// The closeness of a group is what a match through it counts, from 0 to 1.
var synonyms = []struct {
	closeness float64
	words     string
}{
	{1, "colour color colours colors coloured colored"},
	{1, "powershell pwsh"},
	{0.9, "windows powershell cmd"},
	{1, "config configuration configure"},
	{0.9, "delete remove rm erase wipe forget clear purge drop"},
	{0.9, "continue resume reopen"},
	{0.9, "pipe stdin redirect"},
	{0.9, "token password passphrase secret pat credential credentials bearer apikey"},
	{0.9, "login signin authenticate authentication authorise authorize authorisation authorization"},
	{0.9, "logout signout logoff signoff"},
	{0.8, "logout unlink deauthorize disconnect"},
	{0.9, "exitcode exit code"},
	{0.9, "keyring keychain wallet vault"},
	{0.9, "certificate certificates cert certs ca tls ssl"},
	{0.9, "proxy proxies firewall corporate"},
	{0.8, "limit length size big large"},
	{0.9, "file document attachment"},
	{0.9, "configfile config"},
	{0.8, "token key"},
	{0.8, "conversation chat discussion talk thread dialogue dialog session chats"},
	{0.8, "list show display view enumerate"},
	{0.8, "setting config option preference preferences customise customize tweak"},
	{0.8, "reply answer response completion"},
	{0.8, "question prompt query message ask"},
	{0.8, "offline network internet disconnected connection"},
	{0.8, "file attach include upload"},
	{0.8, "script automate automation cron ci batch scripting"},
	{0.8, "name title rename label alias nickname"},
	{0.8, "save store keep remember record persist saved"},
	{0.6, "have list"},
	{0.6, "see list"},
	{0.6, "exitcode error"},
	{0.8, "last latest recent"},
	{0.6, "put enter"},
	{0.5, "feed pipe"},
	{0.6, "input stdin"},
	{0.8, "default standard"},
	{0.8, "getstarted start begin"},
	{0.8, "check verify valid validate status"},
	{0.7, "open edit"},
	{0.8, "raw plain unformatted unrendered"},
	{0.8, "quiet silent silence"},
	{0.8, "verbose debug trace wire headers"},
	{0.8, "install installation setup download"},
	{0.8, "update upgrade version release"},
	{0.8, "timeout slow hang hangs hung stuck forever"},
	{0.8, "interrupt cancel abort stop kill"},
	{0.8, "leave quit exit"},
	{0.8, "encoding utf-8 utf-16 unicode charset bom mojibake umlaut accents"},
	{0.8, "history context memory earlier previous"},
	{0.8, "autocomplete autocompletion completion completions tab"},
	{0.8, "man manual help documentation docs"},
	{0.8, "variable environment env envvar"},
	{0.8, "rate-limited rate quota throttle throttled limited"},
	{0.8, "private privacy confidential sensitive"},
	{0.8, "width style theme"},
	{0.8, "theme dark light"},
	{0.8, "markdown format formatting formatted render rendered rendering"},
	{0.7, "folder directory path location stored live lives kept where"},
	{0.7, "limit number count maximum max"},
	{0.7, "error fail failure failed fails broken wrong crash"},
	{0.7, "retry repeat resent"},
	{0.7, "server service backend endpoint host hosting cloud company"},
	{0.7, "serve server host hosting instance"},
	{0.7, "url address endpoint"},
	{0.7, "profile account workspace switch"},
	{0.7, "agent assistant model persona bot"},
	{0.7, "add create define register"},
	{0.7, "choose pick select switch specify"},
	{0.7, "set change"},
	{0.7, "edit change modify adjust"},
	{0.7, "connect connection login"},
	{0.7, "login token password"},
	{0.7, "usage cost price spend spent bill billed pay paid expensive"},
	{0.7, "json parse jq script"},
	{0.7, "ask chat talk send"},
	{0.7, "dry-run preview"},
	{0.7, "send sent transmit leave share shared"},
	{0.7, "renew expired expire rotate refresh renewal revoked"},
	{0.7, "new fresh begin start"},
	{0.7, "interactive line-by-line repl"},
	{0.7, "precedence priority override overrides order wins"},
	{0.7, "port address listen"},
	{0.7, "safe safely secure securely security insecure"},
}

// lexicon is what the guide knows about words apart from the manual.
type lexicon struct {
	stop, faint map[string]bool
	related     map[string][]substitute // by stem, in the order of synonyms
	words       []string                // every word above, for typos
}

// substitute is a stem that may stand for another.
type substitute struct {
	stem      string
	closeness float64
}

func newLexicon() *lexicon {
	l := &lexicon{stop: map[string]bool{}, faint: map[string]bool{}, related: map[string][]substitute{}, words: strings.Fields(stopWords + " " + faintWords)}
	for _, w := range strings.Fields(stopWords) {
		l.stop[w] = true
	}
	for _, w := range strings.Fields(faintWords) {
		l.faint[stem(w)] = true
	}
	for _, group := range synonyms {
		words := strings.Fields(group.words)
		l.words = append(l.words, words...)
		stems := make([]string, len(words))
		for i, w := range words {
			stems[i] = stem(w)
		}
		for _, one := range stems {
			for _, other := range stems {
				if one != other {
					l.related[one] = append(l.related[one], substitute{other, group.closeness})
				}
			}
		}
	}
	return l
}

// knows reports whether the lexicon itself gives a word a meaning.
func (l *lexicon) knows(word string) bool {
	return l.stop[word] || l.faint[stem(word)] || l.related[stem(word)] != nil
}
