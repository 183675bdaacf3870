"""General shop vocabulary: synonyms, and what kind of word a word is."""

from __future__ import annotations

import regex


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


PHRASES = [
    (regex.compile(rf"\b(?:{pattern})\b"), one)
    for pattern, one in [
        (r"graphics?[\s-](?:cards?|processing units?|processors?)|video[\s-]cards?", "gpu"),
        (r"central processing units?", "cpu"),
        (r"(?:computer )?motherboards?|main[\s-]?boards?", "motherboard"),
        (r"note[\s-]?book (?:computers?|pcs?)", "laptop"),
        (r"power suppl(?:y|ies)(?: units?)?", "psu"),
        (r"solid[\s-]state (?:drives?|disks?)", "ssd"),
        (r"hard[\s-]?(?:disks?[\s-]drives?|drives?|disks?)", "hdd"),
        (r"soft drinks?", "soda"),
        (r"t[\s-]?shirts?|tee[\s-]?shirts?", "tshirt"),
        (r"e[\s-]?(?:book )?readers?", "ereader"),
        (r"e[\s-]?bikes?|electric bikes?|electric bicycles?", "ebike"),
        (r"smart[\s-]?phones?|cell[\s-]?phones?|mobile phones?|mobiles?", "phone"),
        (r"ear[\s-]?(?:buds?|phones?|pods?)", "earbud"),
        (r"head[\s-]?(?:phones?|sets?)", "headphone"),
        (r"flash[\s-]?lights?", "torch"),
        (r"back[\s-]?packs?|ruck[\s-]?sacks?|knap[\s-]?sacks?", "backpack"),
        (r"tooth[\s-]brush(?:es)?", "toothbrush"),
        (r"sleeping[\s-]bags?", "sleepingbag"),
        (r"(?:rubbish|trash|garbage|bin)[\s-](?:bags?|liners?)", "trashbag"),
        (r"tea[\s-]bags?", "teabag"),
        (r"bean[\s-]bags?", "beanbag"),
        (r"punch(?:ing)?[\s-]bags?", "punchbag"),
        (r"hand[\s-]?bags?", "handbag"),
        (r"water[\s-]bottles?", "waterbottle"),
        (r"memory cards?|sd[\s-]cards?", "sdcard"),
        (r"light[\s-]?bulbs?", "bulb"),
        (r"key[\s-]?boards?", "keyboard"),
        (r"type[\s-]writers?", "typewriter"),
        (r"web[\s-]?cams?", "webcam"),
        (r"ring binders?", "binder"),
        (r"felt[\s-]tips?(?: pens?)?", "marker"),
        (r"ball[\s-]?point(?: pens?)?", "ballpoint"),
        (r"wi[\s-]?fi", "wifi"),
        (r"blue[\s-]?tooth", "bluetooth"),
        (r"usb[\s-]c", "usbc"),
        (r"usb[\s-]a", "usba"),
        (r"type[\s-]c", "usbc"),
        (r"noise[\s-]?cancell?ing", "noisecancelling"),
        (r"stain?less(?:[\s-]steel)?", "stainless"),
        (r"rain[\s-]?coats?|rain[\s-]jackets?", "raincoat"),
        (r"swim[\s-]?suits?", "swimsuit"),
        (r"sun[\s-]?glasses", "sunglasses"),
        (r"wine[\s-]glass(?:es)?", "wineglass"),
        (r"night[\s-]?lights?|night[\s-]?lamps?", "nightlight"),
        (r"whole[\s-]bean", "bean"),
        (r"extra[\s-]large", "xl"),
    ]
]

_GROUPS = """
gpu vga | watch wristwatch | scope telescope | cpu processor | laptop notebookpc | monitor display screen | tv television telly
sofa couch settee | soda cola pop fizzy | phone handset | fridge refrigerator | bike bicycle cycle
trousers trouser pant pants slacks | sweater jumper pullover | sneaker trainer | torch lantern_torch
cup | mug beaker | rug carpet | lamp light | colour color | grey gray | tyre tire | spanner wrench
axe ax | hoover vacuum | nappy diaper | pram stroller pushchair buggy | dummy pacifier | rubber eraser
sellotape | crisp chip | biscuit | candy sweet sweets | duvet comforter | tap faucet
jewelry jewellery | aluminium aluminum | fibre fiber | litre liter | doughnut donut | yoghurt yogurt
psu | ram memory | hdd | ssd | puppy pup | kitten | kid child | photo photograph | cellphone phone
earbud earphone | headphone headset | hoodie hoody | raincoat | beanie | cap | bookcase bookshelf
envelope | large l | medium m | small s | xlarge xl | navy | ebook | veg vegetable | barbecue bbq barbeque grill
stapler | highlighter | secateurs pruner | plier pliers | scissor scissors | trowel | dustbin bin
cushion pillow | mattress | blanket throw | cooker stove hob | kettle | toaster | whisky whiskey
espresso expresso | cappuccino | moka mocha | decaf decaffeinated | skillet fryingpan | beamer projector
parasol umbrella | aubergine eggplant | courgette zucchini | coriander cilantro
men man mens | women woman womens | lady ladies | boy boys | girl girls
"""
# A group's first word stands for all; groups of one say that a word is known.
_SEPARATE = _set("cushion pillow lamp light cup mug cap chip crisp sweet small s large l medium m")
SYNONYMS = {
    word: group.split()[0]
    for line in _GROUPS.strip().splitlines()
    for group in line.split("|")
    for word in group.split()
    if word not in _SEPARATE
}
SYNONYMS |= {"l": "large", "m": "medium", "s": "small", "crisps": "crisp"}

WRITTEN = {
    "gpu": ("graphics card", "video card"), "cpu": ("processing unit",),
    "motherboard": ("mainboard",), "laptop": ("notebook computer",),
    "psu": ("power supply",), "ssd": ("solid state",), "hdd": ("hard drive", "hard disk"),
    "soda": ("soft drink",), "tshirt": ("t-shirt", "tee shirt"),
    "ereader": ("e-reader", "e-book reader"), "ebike": ("e-bike", "electric bike"),
    "phone": ("smartphone", "cell phone", "mobile"), "earbud": ("earphone", "earpod"),
    "headphone": ("headset",), "torch": ("flashlight",), "backpack": ("rucksack", "knapsack"),
    "trashbag": ("rubbish bag", "garbage bag", "bin liner", "trash bag", "bin bag"),
    "punchbag": ("punching bag",), "sdcard": ("memory card", "sd card"), "bulb": ("light bulb",),
    "binder": ("ring binder",), "marker": ("felt tip",), "usbc": ("usb-c", "type-c"),
    "usba": ("usb-a",), "noisecancelling": ("noise canceling",), "stainless": ("stainless steel",),
    "raincoat": ("rain jacket",), "nightlight": ("night lamp",), "xl": ("extra large",),
}  # fmt: skip
"""How else the words of PHRASES are written, besides apart, with a hyphen or as one."""

COLOURS = _set(
    "red blue green black white grey silver gold yellow orange purple pink brown navy teal beige "
    "cream ivory turquoise violet maroon olive charcoal bronze copper rose clear transparent tan "
    "khaki lime magenta cyan indigo burgundy coral mint lavender graphite midnight crimson scarlet "
    "emerald amber sand natural multicolour multicolor rainbow slate aqua mustard peach lilac plum"
)

MATERIALS = _set(
    "wood wooden oak pine walnut bamboo steel stainless metal iron aluminium plastic leather suede "
    "cotton wool woolen linen silk denim canvas nylon polyester silicone rubber glass ceramic "
    "porcelain stone marble copper brass titanium carbon cork paper felt fleece velvet acrylic "
    "merino cashmere bone-china terracotta rattan wicker mesh"
)

VARIANTS = _set(
    "pro max plus mini ultra lite air xl xxl xs se ti super slim jumbo junior jr kids kid women "
    "men unisex wide narrow short long left right max2 fe premium deluxe"
)
"""Words that, next to a model name, make another model of it."""

MARKS = _set(
    "hd fhd uhd qhd wqhd fullhd hdr sdr oled qled amoled led lcd ips rgb argb usb usbc hdmi nfc gps lte poe "
    "rfid gtx rtx rx gt gti ti fe ddr nvme sata atx itx ac dc ip dab fm mk mkii ii iii iv"
)
"""Shops' marks of a make or a quality: they name no thing."""

QUALIFIERS = (
    COLOURS
    | MATERIALS
    | MARKS
    | _set(
        "premium deluxe regular classic standard basic large small medium mini plus pro max lite "
        "ultra xl xs xxl big jumbo new original edition series gen generation model version size "
        "variety assorted mixed professional compact portable travel wireless cordless electric "
        "digital organic natural fresh extra super adult junior kids men women "
        "unisex black-friday value economy eco budget family style type studio home outdoor indoor "
        "left right short long wide slim double single twin queen king hardcover paperback refurbished "
        "manual automatic mechanical analogue analog solar folding foldable adjustable inflatable "
        "round square oval rectangular matt matte glossy brushed polished satin heavy soft hard "
        "upper lower inner outer open closed half full triple quad striped plain"
    )
)
"""Words that may stand behind the noun of a product name without changing what it is."""

THINGS = _set(
    """
    accessory adapter adaptor amp amplifier anchor apron arm atlas attachment awning backpack bag balm band bandolier
    banner bar barrel basin basket battery beanie bedding bell belt bench bib bin binder binding blade blanket
    blender block board body bolt book bookend bookmark boot bottle bow bowl box bracket branch brick bridge bridle
    brush bucket buckle bulb bumper button cabinet cable caddy cage cake calendar camera can candle canister canvas cap capo
    card carrier cart cartridge case caster castor catcher chain chair chalk charger chart chisel cleaner cleaning clip
    clock cloth clothing club coaster coat collar comb component compost compressor computer conditioner cone connector container cooker
    cooler cord corkscrew costume counter coupling cover cradle crate cream crust cup curtain cushion cutter decal
    descaler desk detergent diffuser dimmer dish dispenser divider dock dongle door drawer dress dressing drill
    dumbbell duster easel eraser extender extension eyepiece fan feeder fence fender fertilizer fertiliser figure
    figurine file filament filler film filter fixture flag flask float flour flower flute food footprint fork fountain frame freezer
    frother fryer fuel funnel fuse game garland gasket gate gauge gear gel generator gig glass globe glove glue goggle grate
    grease grill grinder grip groundsheet guard guide guidebook guyline hammer hammock handle handlebar hanger
    harness hat headlamp heater helmet hinge hitch hive holder holster honey hood hook hoop horn tip hose hub infuser
    inflator ink inlay insert insole insulator jack jacket jam jar jersey jigsaw jug juice juicer kennel kettle key keychain kickstand
    kneepad knife knob label lace ladder ladle lamp lanyard lantern lash leash leaf lead leg lens level lever lid light
    lighter line liner liquid litter loader lock lotion lube lubricant lunchbox machine magazine magnet maker mallet
    manual map marker mask mat mattress medal megaphone memory meter metronome microphone milk mill mirror mitt mitten
    mixer mop mount mouse mouthpiece mudguard muffin mug mute muzzle nail napkin necklace needle net nib noodle nozzle nut oil
    opener organiser organizer ornament oven overgrip pad paddle paint palette pan pannier paper part paste patch peg pedal pedalboard
    pen pencil perch phone pick pillow pillowcase pin pipe pitcher planter plate player plug plush pocket pole polish
    poncho post poster pot pouch powder press primer printer projector propeller protector pruner pulley pump punch puzzle
    rack rail rake ramp razor reader receiver record reed reel refill remote repair replacement reservoir ribbon ring riser rod
    roller rope rosin rug ruler runner sack saddle saddlebag salt sander sandpaper sanitizer sauce saucer saw scale
    scarf scissor scoop scoreboard scraper screw screwdriver seal sealant seat seed sensor server shade shaker shampoo sharpener shear
    sheath sheet shelf shield shirt shoe shoelace shovel shower sieve sign skewer skin skirt sled sleeve slide slipper
    soap sock socket solvent spade spare spatula speaker spice spike spinner spoke sponge spoon spray sprayer sprinkler
    square stain stake stand stapler starter stem step stick sticker stool stopper storage stove strainer strap straw string stripe
    strut stylus sugar suit support suspender swaddle swing swatch switch syrup table tablecloth tack tag tamper tank tape target
    tarp tea tee tent tester thermometer thermostat thread throw tie timer tin toner tongs tool toolbox topper
    torch towel toy track transformer transmitter trap tray treat trellis trimmer tripod trivet trolley trowel truck tub tube tuner
    turner twine umbrella valve vase vest vise visor wagon wall wallet wallpaper warmer washer watch wax wheel whisk
    whistle wick winder window windshield wine wipe wiper wire workbook workbench wrap wrench wristband yarn zipper
    carrying landing carry maintenance care mounting booster crib cot eyelet fertiliser ground hinge pacifier potty
    perfume plinth poncho pruner regulator snack stroller sunshade teapot thermos tongs toothbrush tote trinket
    tyre tire derailleur cassette crank crankset rim windscreen hubcap antenna aerial axle bearing bolster brace burner
    caliper carabiner carpet castor clipper cog coil collet connector conveyor cot crampon crossbar crown cylinder decanter
    detector disc disk doily doormat drain drawer earplug earring easel elbow engine exhaust faucet felt ferrule fitting
    flange flashlight flint fob foot freshener gadget gaiter garment gimbal goblet gouge grinder grommet gun gutter
    hamper hatch hinge hod igniter inverter isolator jig joint joystick lampshade latch lectern lining link locker loop
    louver manifold mattock mesh moulding mould mold module nipple notebook nosepiece oar oarlock padlock painting pane panel
    parasol pedestal pegboard pendant pickup pinion pipette piston pivot plane planner plaque pliers plough plunger podium
    polisher portafilter print processor protractor pushrod quiver radiator rasp raft regulator resistor rivet rotor router
    rubber scourer scope scabbard seasoning sharpening sheepskin shelving shim shock shutter siding signboard simulator
    siphon skimmer slat sling smock snorkel softbox soldering spacer spanner spark spindle spline splint spool spotlight
    spreader spring sprocket squeegee stamp stapler statue stencil stereo stirrer stocking stone stopwatch stud styling
    subwoofer suction sunscreen surface suspension swab swivel syringe tablet tap tarpaulin tassel teether template
    terrarium thimble thinner thong throttle tile tissue tonic toolkit tower trainer trash trowel trunk tumbler
    turntable tweezer upholstery urn vacuum varnish ventilator vial vinyl voucher wader wardrobe washer watering
    weight wheelbarrow whiteboard wig windbreaker windsock wool worktop workshop subscription course lesson ticket
    service warranty insurance rental delivery installation assembly download software licence license app ebook
    training instructions leaflet brochure catalogue catalog postcard greeting giftcard
    booklet bobbin charm clamp fastener foil furniture handbook magazine popcorn remover rest shade stringer
    surround tab tidy tunnel wash waterbottle sleepingbag trashbag earbud headphone keyboard webcam bulb monitor stapler folder envelope eyeglass
    """
)
"""Nouns that, at the end of a name, say what a product is: a laptop *bag* is no laptop."""

ACCESSORIES = _set(
    """
    adapter bag band base battery belt bin blade bobbin book booklet bracket brush cable cage cap care carrier case
    cassette charger charm clamp clip cleaner cloth compound connector container cord cover cradle cutter dispenser
    divider dock extender fastener feeder filler film filter fixture foil frame fuel funnel furniture gasket guard
    guide handbook handle hanger harness hinge holder hook hose insert key kit label lanyard leash lid liner lock
    lubricant magazine mat mount mounting needle nozzle oil opener organiser organizer pad part patch peg pin
    polish pouch protector pump rack refill remover repair replacement rest ring rod sack screw sealant sharpener
    shelf shield sleeve spare spool spray spring stand sticker stopper storage strap string stringer surround
    tab tidy tip tongs tool tray trolley tunnel wall warmer wash wax weight wheel wipe wire wrench
    """
)
"""Nouns of things that are mostly made for another thing: behind it they name no look of it."""

IMITATIONS = _set(
    "toy replica miniature dummy dollhouse doll pretend poster costume figurine decoy imitation faux model refill empty"
)
"""Words that make an imitation or a part of a thing, wherever they stand in its name."""

LOOSE_CONTAINERS = _set(
    "pack packet set bundle kit box carton roll pair multipack tin crate pallet"
)
"""Containers at the end of a name that do not change what is inside: a protein bar *box*."""

GENERIC = _set(
    "fixture device article product item unit piece model size colour copy gadget appliance thing "
    "weight finish look design shade tone scent flavour flavor taste fit pattern length width height diameter capacity kind type sort style variety brand brand-new edition option good stuff supply one number no machine"
)
"""Nouns in a request that need not occur in the product's name."""

HYPERNYMS = _set(
    "cpu gpu laptop phone camera tablet console monitor tv printer shoe boot router headphone earbud speaker smartwatch "
    "watch game boardgame book novel car bike perfume guitar piano drone scope robot hoover processor "
    "motherboard scanner projector turntable synthesizer sneaker doll figure vinyl album software"
)
"""Kinds that a model name implies, so that the name need not hold the word."""

NATURAL_PAIRS = frozenset(
    """
    shoe shoes boot boots glove gloves sock socks jeans trousers pants scissors sunglasses
    glasses headphones earbuds earphones sneakers sandals slippers skis pliers tweezers
    shorts leggings mittens earrings binoculars trainers mitts shears secateurs tights
    goggles clogs crampons snowshoes skates oars maracas crutches waders gaiters heels
    loafers stockings chopsticks tongs clippers
    """.split()
)
"""Things of which one is called a pair."""

MASS = _set("paper tissue foil film tape soap water juice soda cola beer milk tea coffee chocolate")
"""Goods without a plural that come in numbers all the same."""
