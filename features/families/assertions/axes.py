"""Words that are opposites of each other, and words that say the same, by hand.

Each line of a list is an axis: words towards one end, a bar, words towards the other. A word
after the bar therefore is the denial of one before it, as far as a sentence tells: "not open"
is near "closed". Words on one side say nearly the same.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain

from sts.text.analysis import lemma
from sts.text.lexicon.english import readings

_AXES = """
rise increase grow climb soar surge jump gain up higher upward rally expand growth rocket | fall decrease drop decline plunge plummet tumble slump sink down lower downward reduce dwindle shrink slip dip
raise boost lift upgrade | cut lower reduce downgrade slash
increasingly | decreasingly
widen broaden | narrow
lengthen extend prolong | shorten curtail
strengthen reinforce | weaken undermine
strong powerful robust | weak feeble frail
open reopen unlock | close shut closed lock
win victory triumph winner | lose defeat loss loser
succeed success successful successfully pass | fail failure unsuccessful unsuccessfully flunk
accept approve agree accede consent acceptance approval agreement | reject refuse disapprove disagree decline rejection refusal deny veto disagreement
allow permit let authorize legalize allowed legal lawful | forbid ban prohibit bar outlaw illegal unlawful disallow criminalize forbidden
support favor favour back endorse supporter proponent advocate for | oppose against opponent opposition
love like enjoy adore fond ❤ 😍 💕 | hate dislike detest loathe despise 💔
praise applaud commend compliment | criticize blame condemn denounce insult slam criticise
remember recall | forget
begin start commence launch initiate | end finish stop quit cease conclude terminate halt
continue resume proceed | stop cease halt discontinue pause suspend
arrive come enter arrival entrance | leave depart departure exit go
appear emerge | disappear vanish
find discover | lose
build construct | demolish destroy dismantle
create make | destroy
repair fix mend restore | break damage ruin
fill full filled | empty vacant drain emptied
attach connect join link | detach disconnect separate
tie fasten bind | loosen untie unfasten
assemble | disassemble
push shove | pull drag
lift raise | lower drop
add include inclusion | remove exclude delete subtract omit exclusion
buy purchase acquire | sell
lend | borrow
send | receive get
teach | learn
save rescue | spend waste
earn | spend
hire employ recruit | fire dismiss sack
appoint | dismiss oust
marry wed married marriage wedding | divorce divorced
attack assault invade | defend protect
advance | retreat withdraw
encourage urge persuade | discourage dissuade deter
help aid assist | hinder hamper obstruct
confirm verify acknowledge admit | deny refute
true correct right accurate truth | false wrong incorrect untrue inaccurate
truth | lie
innocent acquit acquitted | guilty convict convicted
release free liberate | arrest detain imprison jail capture
alive live living | dead die deceased
survive | die perish
born birth | die death
wake awake awaken | asleep sleep
happy glad cheerful joyful delighted pleased 😀 😃 😄 😁 😊 🙂 🥰 😂 😍 🤣 🥳 joy happiness happily 🎉 | sad upset miserable sorrowful gloomy unhappy 😢 😭 ☹ 🙁 😞 😔 😩 😫 😡 😠 😖 😣 🤢 🤮 sadness sorrow sadly depressed
laugh | cry weep
smile grin | frown scowl
good great excellent nice wonderful fantastic superb terrific brilliant awesome perfect | bad terrible awful horrible poor dreadful lousy rotten
better best | worse worst
improve improvement | worsen deteriorate deterioration
well | badly poorly
👍 yes yeah yep ✅ ✔ | 👎 no nope ❌ ✖
🔼 ⬆ | 🔽 ⬇
😀 😃 😄 😁 😊 🙂 😍 🥰 | 😡 😠 🤬
positive | negative
optimistic hopeful | pessimistic hopeless
optimist | pessimist
hot warm warmth heat | cold cool chilly freezing
heat warm | cool chill
wet damp moist | dry arid
freeze | melt thaw
big large huge enormous gigantic giant massive | small little tiny minuscule
tall | short
long | short brief
high | low
wide broad | narrow
thick | thin
fat overweight obese | thin slim skinny slender
heavy | light
deep | shallow
young youthful | old elderly aged
new brand-new recent modern | old ancient outdated
fast quick rapid swift quickly rapidly swiftly | slow sluggish slowly
accelerate hasten | decelerate slow delay
early | late
easy simple effortless easily | hard difficult tough challenging
simple | complex complicated
possible feasible | impossible
expensive costly pricey | cheap inexpensive affordable
rich wealthy affluent | poor impoverished
clean spotless neat tidy | dirty filthy messy
light bright | dark dim
loud noisy loudly | quiet silent quietly silently
smooth | rough
soft | hard
sharp | blunt dull
interesting exciting fascinating entertaining | boring dull tedious
smart intelligent clever bright | stupid dumb foolish
wise | foolish
beautiful pretty attractive gorgeous lovely | ugly hideous
kind friendly | cruel mean unkind hostile
polite courteous | rude impolite
brave courageous bold | cowardly timid
calm relaxed | nervous anxious agitated
patient | impatient
safe secure safely | dangerous unsafe risky hazardous
healthy well | sick ill unwell
sane | insane mad
common usual frequent widespread | rare uncommon unusual infrequent scarce
normal ordinary | abnormal strange weird
public publicly | private privately secret secretly
local domestic | foreign
guest | host
ally friend | enemy foe
hero | villain
profit | loss
profitable | unprofitable
asset | liability
import | export
income revenue | expense
surplus | deficit shortage
majority | minority
maximum maximize most | minimum minimize least
more | less fewer
above | below beneath underneath
inside | outside
indoors indoor | outdoors outdoor
activate enable on | deactivate disable off
same identical alike equal | different unlike distinct dissimilar unequal
top | bottom
front | back rear
left | right
upstairs | downstairs
upper | lower
near close nearby | far distant remote away
forward forwards ahead | backward backwards behind back
together | apart alone
first | last
next | previous
present attend attendance | absent miss absence
visible | invisible hidden
show reveal expose | hide conceal
accelerator | brake
ascend | descend
inhale | exhale
inflate | deflate
float | sink
wake | sleep
stand | sit lie
hungry | full
thirsty | quenched
drunk | sober
busy occupied | free idle available
cautious careful | careless reckless
generous | stingy selfish greedy
humble modest | arrogant proud
lucky fortunate | unlucky unfortunate
luckily fortunately | unfortunately
voluntary voluntarily | compulsory mandatory
optional | compulsory mandatory obligatory required
permanent permanently | temporary temporarily
natural | artificial synthetic
real genuine authentic | fake counterfeit bogus
raw | cooked
fresh | stale rotten
ripe | unripe
sweet | bitter sour
wild | tame
war | peace
day daytime | night nighttime
morning | evening
dawn sunrise | dusk sunset
summer | winter
north northern northward | south southern southward
east eastern eastward | west western westward
male masculine | female feminine
man men gentleman | woman women lady
boy | girl
husband | wife
father dad | mother mom mum
son | daughter
brother | sister
uncle | aunt
king | queen
buyer | seller
heaven | hell
ceiling | floor
beginning start | end ending
entry | exit
tighten | relax loosen
tight | loose
straight | curved crooked
vertical | horizontal
odd | even
plus | minus
solid | liquid
active | passive inactive
guilt | innocence
pride | shame
love | hatred
hope | despair
pleasure | pain
asset | burden
ahead | behind
advantage benefit pro | disadvantage drawback con
strength | weakness
agree | disagree
beneficial helpful useful | harmful useless detrimental
tolerant | intolerant
admire respect | despise scorn
trust believe | distrust doubt mistrust
obey comply follow | disobey violate defy
include | exclude
gain | lose
gather collect | scatter disperse
combine unite merge | split separate divide
ease relieve alleviate soothe | aggravate worsen
slow | speed
permit | prevent
appreciate | depreciate
overestimate | underestimate
oversupply | undersupply
ally | rival
still | no-longer
already | not-yet
"""

_SAME = """
useful helpful
kid child children
couch sofa
movie film
car automobile
doctor physician
photo photograph picture
buy purchase
complete finish finalize
begin start
attempt try
speak talk
say tell state
obtain get receive
watch see view
reply answer respond
choose select pick
need require
own possess
understand comprehend grasp
happen occur
road street
shop store
exam test
job work
phone telephone call
ask request
want desire wish
think believe
hurt injure harm
kill murder slay
permit allow
start begin launch
cancel scrap
arrive come reach
eat consume
sign signed
drug medicine medication
attorney lawyer
cop police policeman
plane airplane aircraft
person people someone somebody human
finish complete
repair fix
"""


def _table() -> dict[str, tuple[tuple[str, int], ...]]:
    found: dict[str, dict[str, int]] = {}
    for line in _AXES.strip().splitlines():
        sides = [side.split() for side in line.split("|")]
        for sign, side in zip((1, -1), sides, strict=True):
            for word in side:
                found.setdefault(word, {})[f"{sides[0][0]}/{sides[1][0]}"] = sign
    for line in _SAME.strip().splitlines():
        for word in line.split():
            found.setdefault(word, {})[f"={line.split()[0]}"] = 1
    return {word: tuple(axes.items()) for word, axes in found.items()}


AXES = _table()
"""Axes of a word and the end it stands at; a name with ``=`` is that of words that say the same."""

_IN = """
accurate active adequate appropriate audible capable coherent competent complete consistent
convenient correct credible decent decisive definite dependent direct discreet edible effective
efficient eligible equality evitable expensive experienced explicable flexible formal
frequent human justice offensive operable organic secure sensitive separable sincere
significant sufficient tangible tolerant tolerance valid visible voluntary ability
""".split()
_IM = """
balance balanced mature mobile modest moral mortal movable partial patient perfect permanent
personal plausible polite possible practical precise probable proper prudent pure
""".split()
_DIS = """
abled advantage agree agreement allow appear appearance approve approval arm assemble believe
comfort connect connected content continue courage credit embark engage enchanted entangle
favor favour honest honesty honor honour incentive infect integrate interested joint like
loyal loyalty mount obedient obey organized organised order own pleased prove qualify regard
respect respectful satisfied satisfaction similar trust unite
""".split()
_IL_IR = {
    "illegal": "legal", "illegible": "legible", "illegitimate": "legitimate",
    "illiterate": "literate", "illogical": "logical", "irrational": "rational",
    "irregular": "regular", "irrelevant": "relevant", "irreplaceable": "replaceable",
    "irresponsible": "responsible", "irreversible": "reversible", "irresistible": "resistible",
    "atypical": "typical", "abnormal": "normal", "nonsense": "sense", "amoral": "moral",
    "asymmetric": "symmetric", "malfunction": "function", "malnourished": "nourished",
}  # fmt: skip
_PREFIXED = (
    {f"in{word}": word for word in _IN}
    | {f"im{word}": word for word in _IM}
    | {f"dis{word}": word for word in _DIS}
    | _IL_IR
)
_NOT_UN = frozenset(
    """
    under until unit unite union unique uncle universe universal unison unicorn unanimous
    unify uniform unity university united understand undergo undertake underneath underlie
    unless unto undo uncanny unrest unveil unwind unleash unearth undone unending
    """.split()
)
_NOT_LESS = frozenset(
    "less unless nevertheless nonetheless regardless bless priceless countless timeless ruthless "
    "reckless relentless restless needless doubtless numberless tireless wireless seamless flawless".split()
)


@lru_cache(maxsize=1 << 18)
def bases(word: str, tag: str) -> tuple[tuple[str, int], ...]:
    """What a lower-cased word says: names of its axes, or its stem, each with +1 or −1.

    "closed" is −1 on the axis open/close, "unhappy" and "joyless" the −1 of their stems.
    """
    stem = lemma(word, tag)
    for form in (stem, word):
        if form in AXES:
            return AXES[form]
    for form in () if tag[:1] == "V" else chain.from_iterable(readings(word).values()):
        if form in AXES:
            return AXES[form]
    if word.endswith("ly"):
        for adjective in (word[:-2], f"{word[:-3]}y", f"{word[:-2]}le"):
            if adjective in AXES or _denied(adjective):
                return bases(adjective, "JJ")
    inner = _denied(stem) or (_denied(word) if word != stem else None)
    return (
        tuple((name, -sign) for name, sign in AXES.get(inner, ((inner, 1),)))
        if inner
        else ((stem, 1),)
    )


def _denied(word: str) -> str | None:
    """The word without the prefix or suffix that denies it; None if it has none."""
    if word in _PREFIXED:
        return _PREFIXED[word]
    if word.endswith("less") and len(word) > 6 and word not in _NOT_LESS:
        return f"{word[:-4]}ful" if readings(f"{word[:-4]}ful") else word[:-4]
    for prefix in ("non", "un") if word.startswith(("non", "un")) else ():
        if word.startswith(prefix) and word not in _NOT_UN:
            rest = word[len(prefix) :].lstrip("-")
            if len(rest) > 3 and readings(rest):
                return rest
    return None
