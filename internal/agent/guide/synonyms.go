package guide

import (
	"slices"
	"strings"
)

// stopWords are grammatical and polite words, which do not indicate the subject of a
// question.
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
good morning evening afternoon anyways understand understands greetings cheers bye goodbye sup yo hobnob`

// generalWords are frequent in questions on any subject. They help to rank sections, but
// are a weak indication that a question is about hobnob.
const generalWords = `accept acceptable accepted accidentally actual address advance afraid afterward afterwards ago aim alike allow alone
amount analyse analyze annoy annoyed annoying another answers anymore apart apparently appear appears approach
arbitrary arrive aside assume attempt attention automatically avoid aware awful awkward bad badly basic bear become
beforehand begin behave behind believe bet big bigger bit bore boring boss bother bottom bring broke brother bunch
busy buy call called calm care careful carefully case cases catch cause certain chance cheap cheaper clearly clever
client close closely clue clutter colleague colleagues common complete completely complicated concern confused
confusing considered contacting contain convenient convince convinced correctly couple cover coworker crap crazy
custom customer customers cut dad daddy damn danger daughter deal dear decide deep definitely deliver depend depends
desk despite destroyed detail die difference different dig directly discover dislike doubt dumb during eager ear
earlier early earn effect effort embarrassing empty end ended endless ends enjoy enormous enough entered entirely
event eventually everyday everything evil exactly exceed exceeded excuse expensive experience explicit explicitly eye
eyes face fact fail fair fairly familiar fan fancy fast faster father favourite fear feel felt figure fill final
finally finish first fit five fix fly follow following fond forever former forward four free friday friend friends
front frustrated full fun funny further future general generally gentle girl girlfriend glad grandma group grow guess
guy guys habit half hand handle hard hassle hate have head hear heard heart heavy helpful hint hit hold home honest
honestly hopefully horrible hourly huge hundred hurry hurt husband idea ideas idiot ignore imagine immediately
important impossible improve include including indeed individual inform inside instance instant integrate integration
intend interest interested interesting intern invisible involve issue january job join joke kid kill kinda kindly
kinds knowing known last lately later laugh lazy lead leap least left legal less letting level lie life likely
literally living load lonely long loose lose losing lost loud love low lucky mad magic magical magically main major
manage manager manner match matter meanwhile measure meet member mention mess messy middle mind minimum minor miss
missed missing mistake mode mom moment monday mood mostly mother mouth move mum naive natural naturally near nearby
necessary neighbour new noise normal normally notice nowhere numerous object obvious obviously occasionally odd offer
old opinion ordinary original other outside overall owner pain particular pass past patience patient pay peace perhaps
person personally pity place plain play pleasant pleased plus point polite poor possible pray prefer preferably
preferred present pretty prevent previously pride probably problem produce promise proper proud provide provided
public pull purpose push quiet rare rarely reach ready real realise realize really reason reasonable reasonably
receive receives recent recommend recommended reduce refer regarding regardless regular reject related relative
relevant reliable remain remaining remember require respect respond rest restarting restrict return rid ridiculous
risk role roughly round rude ruin run sad saturday scared scattered see seldom sense separate separately series
serious several share shocked short show shut sick side sign silly similar similarly simplify single sir sister sleep
slightly slow slowly smart smooth solve son sorry sort spare speak special specific specify spot stage stand standing
statement stay stays steady step stick stopped story straight strange strangely strong struggle stuff stupid stupidly
success successfully suck sucks sudden suddenly sufficient suggest suit suitable sunday super support supported surely
surprise surprised surprising suspect swear sweet tall teach tedious temporary ten tend terrible terribly third
thoughts thousand three throw thursday thus tight till time times tiny tip tips tired together tomorrow tonight
totally touch tough traditional trick trivial trouble true truly trust tuesday turning two type typical typically ugh
ugly unable uncle understand understood unfortunately unhappy unknown unless upset usefulness usually vague various
vary visible visit want warm warn waste wasted watch weak wear wednesday weird whatsoever where wherever whole why
wide wife wild willing wise without wonder wonderful world worried worry worse worst worth wow write yesterday
yesterdays yours zero`

// concepts are groups of synonyms: questions may use another one than the manual.
var concepts = []string{
	"delete remove rm erase wipe purge discard drop destroy clear rid disappear throw sweep unregister uninstall",
	"continue resume reopen carry proceed",
	"token password passphrase secret pat credential credentials bearer apikey key",
	"login signin authenticate authentication authorise authorize authorisation authorization",
	"logout signout logoff signoff",
	"keyring keychain wallet",
	"certificate certificates cert certs ca tls ssl x509",
	"proxy proxies firewall",
	"colour color colours colors",
	"conversation chat thread discussion dialogue dialog session talk",
	"agent bot assistant persona model ai",
	"profile account workspace",
	"template preset snippet macro boilerplate",
	"reply answer response completion",
	"question prompt query message ask",
	"service server backend host",
	"setting option preference config configuration configure",
	"list show display view enumerate print see",
	"rename retitle relabel",
	"title name label subject nickname alias",
	"script program automation automate cron",
	"error fail failure failed broken crash wrong",
	"file document attachment",
	"attach include upload",
	"directory folder path location where",
	"editor vim nano emacs notepad vscode",
	"quiet silent silence hide mute suppress",
	"verbose debug trace log",
	"install installation setup download",
	"update upgrade release version",
	"timeout deadline duration limit",
	"cancel abort stop interrupt kill halt terminate",
	"retry again resend repeat redo regenerate rerun",
	"save store keep record persist remember",
	"cost price bill spend money expensive pay spent cheap billing usage",
	"expire expired outdated revoked renew rotate refresh",
	"search find grep locate dig",
	"branch fork split attempts",
	"copy clipboard paste",
	"quit exit leave close",
	"add create new register define make",
	"change modify alter edit adjust set reword",
	"default standard usual factory",
	"export dump transcript",
	"new fresh begin start",
	"offline disconnected internet network plane wifi",
	"context memory history earlier previous",
	"width style theme skin appearance",
	"plain raw unformatted verbatim",
	"private privacy confidential secretly",
	"url address endpoint",
	"image picture photo screenshot drawing",
	"machine computer laptop pc disk",
	"self own home-made private internal custom",
	"send transmit upload post submit",
	"help manual documentation docs",
	"pager viewer less scroll",
	"draw picture graph diagram visualize tree",
	"bell beep sound ping notify notification alert",
	"safe secure security",
	"json parse parseable machine-readable structured",
	"switch select choose pick",
	"repair fix rebuild rescue recover restore",
	"background detach asynchronous later",
	"encrypted encryption https",
}

// articles are ignored, also in pairs of words: articles, the grammar of nearly
// every question, and thanks.
var articles = map[string]bool{"a": true, "an": true, "the": true, "my": true, "is": true, "i": true, "do": true, "to": true, "of": true, "how": true, "thanks": true, "thank": true}

// lexicon holds the words of the lists in this file.
type lexicon struct {
	stop     map[string]bool
	general  map[string]bool     // by stem
	concepts map[string][]string // by stem
	words    []string            // all of these words, for the speller
}

// conceptMark is the first character of the name of a concept; no word begins with it.
const conceptMark = "="

func isConcept(name string) bool { return strings.HasPrefix(name, conceptMark) }

func newLexicon() *lexicon {
	l := &lexicon{stop: map[string]bool{}, general: map[string]bool{}, concepts: map[string][]string{}}
	for _, w := range strings.Fields(stopWords) {
		l.stop[w] = true
		l.words = append(l.words, w)
	}
	for _, w := range strings.Fields(generalWords) {
		l.general[stem(w)] = true
		l.words = append(l.words, w)
	}
	for _, group := range concepts {
		words := strings.Fields(group)
		concept := conceptMark + words[0]
		for _, w := range words {
			s := stem(w)
			if !slices.Contains(l.concepts[s], concept) {
				l.concepts[s] = append(l.concepts[s], concept)
			}
			l.words = append(l.words, w)
		}
	}
	return l
}

// concept returns the concept of a stem, or the stem itself.
func (l *lexicon) concept(stem string) string {
	if concepts := l.concepts[stem]; len(concepts) > 0 {
		return concepts[0]
	}
	return stem
}

// knows reports whether the lexicon contains a word.
func (l *lexicon) knows(word string) bool {
	s := stem(word)
	return l.stop[word] || l.general[s] || l.concepts[s] != nil
}
