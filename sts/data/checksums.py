"""Checksums of the released STS files: lines, scored pairs and sha256.

Counted and hashed (``wc -l``, ``sha256sum``) on copies of the released files, whose paths are in
:mod:`sts.data.catalog`. An entry has the hash of the input file, then that of the gold file. The
SMT set of 2013 is sold by the LDC and is not listed.
"""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """One data set: ``lines`` in each of its two files, ``scored`` gold lines not empty."""

    name: str
    lines: int
    scored: int
    input_sha256: str
    gold_sha256: str


# A hash a line reads like a checksum file; the formatter would give each number a line too.
# fmt: off
STS2012_TRAIN: tuple[Entry, ...] = (
    Entry("MSRpar", 750, 750,
        "53b13f0ff68162a4f49051835b4e6ef91111f8dd3e8ffcae5eafd8db70384f90",
        "8c21613b5416fb45f19434028eb35015165357d0d0d8518c755e44af206f6892"),
    Entry("MSRvid", 750, 750,
        "06e8689cf0eba38a45475021bd50be3d06c543304533eeac526f9b58ce91fc29",
        "00d4118c99db24ec70d84c61aefdd0b7c91a7961ddab0cecdbde3d48d6a750a6"),
    Entry("SMTeuroparl", 734, 734,
        "d4751dc01a1e2f3f2044bc3e84a5f669cf0665411c5966e65f9d8bbd499ad41b",
        "b679e8b839a7d7e13ac36d66b06debd6a3abdc4fb4261db7b0958b758db935e8"),
)

STS2012: tuple[Entry, ...] = (
    Entry("MSRpar", 750, 750,
        "76bf7089f9e7c05732163a227b3ce679512554513eb783f2548b07d659bd733d",
        "5526be59228bc34ccb3cb6f1f56c0d7278d3419b8886713ae016fd92b151f19c"),
    Entry("MSRvid", 750, 750,
        "476d14034a241f71b832e4ae557dd6cdbe265b57c915570a2583f93b4456948d",
        "9c6096c6bcfb0144c8bbddb00900ca9198c88498630cd0c8f08d18365f1d7150"),
    Entry("SMTeuroparl", 459, 459,
        "dd31dbb6e7eef8a0d00347fe012f7cf372943167e30f60f6fb3b10219a41941f",
        "708530c4d006d06881f3289fce35d624d7efe562dcf0fe5f8aa0eec3a135f6d4"),
    Entry("surprise.OnWN", 750, 750,
        "07ec7b91348aece0873b41f7fc4e76e9fddf05bdb82c048c98d92f5db0bec07d",
        "088d8ca22c0aa406e4a5d2e6e308a4f38b482b8e736c2445a38ffb6e4c4fb4fd"),
    Entry("surprise.SMTnews", 399, 399,
        "2788a98ef33c3b7b704ef4891fe863cfcf061338e8aa41cb737d0f137f3ba03c",
        "aa6dfc868db333c43dc59be14d46fa6587c7ebddc0d497e717f647bf35121cf1"),
)

STS2013: tuple[Entry, ...] = (
    Entry("FNWN", 189, 189,
        "b48fc64cd85703ac6431f8ea6722f325fe9620fd4f33b3d5c24dd89c553e74bc",
        "8ca95b7228119578e2007839cf7969f22c4f1fd41fd610c4b7f9683072d98066"),
    Entry("OnWN", 561, 561,
        "127c66889627f26dc11864dc9be4ba1e4895ed60125985c755429ad588e4b9c8",
        "0cd497aaddb00a2fb6db25f77bccfc09e8aa012e11549b81b434bab1a27ad954"),
    Entry("headlines", 750, 750,
        "885e6149fff28a79591ba464c13626d03593b822c88c7c04b6564354d31c7561",
        "f49f64089011436dd296ef384c07160219406feef7dc4b9fa2af52a519f32bc6"),
)

STS2014: tuple[Entry, ...] = (
    Entry("deft-forum", 450, 450,
        "8b48aa15bb850e2827446f6e98cc3c5123ff283924b4571a409aa2fab73e35c6",
        "ba6dc76696b5c93985590a325b4d142449932cdf0d715b2bab1b1743fe3c488c"),
    Entry("deft-news", 300, 300,
        "92df5b8c48873cbfba36b73a77955fb965c9244776df9e9c2c4d2f6155bdeefe",
        "105c5b333abd50c274efb4dae9e3e0dab36ed63eee780cfb49955b1586bd62f2"),
    Entry("headlines", 750, 750,
        "a19f84294325c62a2a403b59957196fd7737f86654ded0e04e0b54bc4a8bcf9e",
        "f243c34647255cd0b994565ed4f58dd31506e7d9c9d6250d1a6dd14095625832"),
    Entry("images", 750, 750,
        "cec1b3c08b0e4c88aeaf8dca047f5b28f4a8588eeef58475e0f16491d2bb7193",
        "fc994ebacc7074c332626fa9e29542d7340a48a3cdb999b47cdb59c378523a62"),
    Entry("OnWN", 750, 750,
        "a227d5fe1c1f729a52a0b39b5b36d3225e1bca3c278e7ed392cac2ecd3990f1c",
        "1c80147df270ea4cfce14a47ed29f8a2f10d5dc016d02836077fd786ff7f535b"),
    Entry("tweet-news", 750, 750,
        "d0f2b34fed71e859f7236ffe2c160d09be349030583cb4443c6766ee5d1847f9",
        "0098c644bfeaa2d511a8297b1940771865900c372c9dd49a62726dc5ec02c9a3"),
)

STS2015: tuple[Entry, ...] = (
    Entry("answers-forums", 2000, 375,
        "fe8e460a74e8e38704ac4e6ddcedec89fd6e51cd0467d6f4301b444b259688e1",
        "1644301a7540e5484da285002e9269062852efb2272be614cad99c9530f6a102"),
    Entry("answers-students", 1500, 750,
        "16eedf46fb3b29822b275a0ddcff8e873a6eb4bafba244a17c4049ffc318d62a",
        "028db213140f8c7aef7497c4ae38b6380938f20359852231669c83dce11c3701"),
    Entry("belief", 2000, 375,
        "6e924a19fb1abbce01a8666f07766250b46a96c89272de8e5b01d0905bc61b79",
        "5736192faaccbdbecd0ef6b73ec04b24115cd2e48d55dc3b1b170da3d2a81c75"),
    Entry("headlines", 1500, 750,
        "779c195c54b72282bd3c8ca1dbb09a4155a39b2acd13d5cf819d8555d717cf6a",
        "e8e432f769c8a94ddb62ae3343890ac24a9dd78a116d56c707313bc59413dd56"),
    Entry("images", 1500, 750,
        "6f332542a75bcd18ea1442fc129306f746cd7ade7010ea274e763bfca576cc47",
        "ed8878209098c77ca7f02ac413d3fd698f92ad3425999555e50fda89fc46012a"),
)

STS2016: tuple[Entry, ...] = (
    Entry("answer-answer", 1572, 254,
        "7daf2cd87751a0f8b754fe705bdb280c31591d9febf5b6fce9dcb10d3b8a72a7",
        "332efd741b0cb247d20dd2a6cec854360c921c7e6b395f328f562d8d26057214"),
    Entry("headlines", 1498, 249,
        "ec8ee1124e71f4cc18c861f542fa8f32c86fef0703de31b0f7a02e22e935d992",
        "01e33a95996201a6e81e3cce9eda0f15048b77613ea64dce2929bb35479f7d85"),
    Entry("plagiarism", 1271, 230,
        "6760cb210f4423262fd8962674e6668409690ce888bb1617659c6886cf004019",
        "29984944a91aaff484f2b2e5d4d434fc8a6f5ef6f578a880cccd2786f5142fdc"),
    Entry("postediting", 3287, 244,
        "a8a66185877785307803c99a0899d65aefb062c4bf7689560b95d37bb0c05474",
        "81947ed9dbe7f85b7bd249df68ed5c7b2f16f06390ad568eb5554b1e26bc5577"),
    Entry("question-question", 1555, 209,
        "b7f95dead3d8c59fbaacbb135643c6ebd322682db6502fdb24d4ce83c9bf016d",
        "cf9ebf9d140191f73620cda0560947ad9283c910735d0d541b8a401a5e64afb0"),
)

STS2016_ES_EN: tuple[Entry, ...] = (
    Entry("news", 301, 301,
        "fbf7bb7b079048e0ee04fc51aa658e0d0293132c4cfb7a2e9ff80dfcd112e150",
        "6011a53dadce9ab50e04cb06ea174add587e0efc5b1c1a2c85415a86223ac9ae"),
    Entry("multisource", 294, 294,
        "90e1d52e2b9427771665b4e0644154124513e2cacca419b566b212868794c09c",
        "0b0951c5d5511f5d813beaa12765aa9cfddf8584154e30a0a5c7fc3c2a32d861"),
)

STS2014_ES_TRAIN: tuple[Entry, ...] = (
    Entry("li65", 65, 65,
        "8090afc36e776744e0cd434f282c9b3cf2d63f126a026ab0bbd1f6b2d9c984b9",
        "3e2d82403fae70d6b33b3a40b1b5670f6fa525beb7dff1efbc65aa4606f4b190"),
)

STS2014_ES: tuple[Entry, ...] = (
    Entry("news", 480, 480,
        "808009eea1d668af78c256dcd05e7482c77c1173ae9cb2335e3c80e401f40b69",
        "c2b323651c276cd70f53aebd129ce2369dafd9f0eca77ca9b765cad35335643c"),
    Entry("wikipedia", 324, 324,
        "f895d940d50e9646ffab7e87c7a8cf36a393f3bfebd8bb31471ba612cc798a63",
        "cbc47c1dcf876b757c5f16974f771cd7aaa8097b66f23278febfa2fa03755806"),
)

STS2015_ES: tuple[Entry, ...] = (
    Entry("newswire", 500, 500,
        "e9b5545850d57496079cbb805bb9b070cd9ee496d1b8595a4214b043eaa7314d",
        "a47f321e0b3ede893a5fc9dc60d1096abd7ad54e245cc118bc2bb92b0e1bfc5b"),
    Entry("wikipedia", 251, 251,
        "26efa6efe4b37530c2405b5ee9cf3977907f0734a548107c6f8dce9c4924d375",
        "35c2d6eed43fe1147b2c8af285b6ef22c12f3f9373bd76a7f8e9b834aef124d1"),
)

TRANSLATION_SHA256_ES_EN: dict[str, str] = {
    "news": "c764facaab50be7db737bc823010bb4b3478bb84460ae0947812eb23058311b5",
    "multisource": "43b4a2438dcaa03ff238f9a00387087e3669e8dd57ab81b5d4af5fe1a696a971",
}

MULTI_FULL_SHA256_ES_EN = "b38eae99fa293996df8fcfaef5cc5f68afef1d2a78ba6eaedb500740bbec4c3e"
# fmt: on
