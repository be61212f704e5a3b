"""Everyday sentences, written for the tests, in languages that are no data set of the project."""

from __future__ import annotations

PORTUGUESE = """\
A casa é vermelha.
Não sei o que dizer.
Obrigado pela ajuda.
Onde fica a estação de comboios?
O meu irmão trabalha num hospital.
Ela gosta muito de ler à noite.
Amanhã vamos à praia com os miúdos.
O cachorro está dormindo no sofá.
Você fala inglês?
Quanto custa este livro?
Bom dia, tudo bem?
Preciso comprar pão e leite.
As crianças brincam no jardim.
Um homem toca guitarra na rua.
O governo anunciou novas medidas económicas.
A polícia prendeu dois suspeitos em Lisboa.
Está a chover desde ontem.
Estou com fome.
Feche a porta, por favor.
Eles chegaram tarde ao trabalho.
Eu te amo.
O avião pousou às nove horas.
Uma mulher corta uma cebola.
Esqueci as chaves em casa.
Nunca estive no Brasil.
Quero um café com leite.
Meu pai tem sessenta anos.
A reunião foi adiada para sexta-feira.
O preço da gasolina subiu outra vez.
Há muitas pessoas na praça.
Dois gatos estão sentados numa mesa.
Até logo!
Por que você não me ligou?
O menino está andando de bicicleta.
Vou ao cinema com os meus amigos.
A sopa está muito quente.
Ninguém respondeu à pergunta.
Ele perdeu o emprego no ano passado.
Feliz aniversário!
A janela está aberta.
""".splitlines()

ITALIAN = """\
La casa è rossa.
Non so cosa dire.
Grazie mille per l'aiuto.
Dov'è la stazione dei treni?
Mio fratello lavora in un ospedale.
Le piace molto leggere la sera.
Domani andiamo al mare con i bambini.
Il cane dorme sul divano.
Parli inglese?
Quanto costa questo libro?
Buongiorno, come stai?
Devo comprare il pane e il latte.
I bambini giocano in giardino.
Un uomo suona la chitarra per strada.
Il governo ha annunciato nuove misure economiche.
La polizia ha arrestato due persone a Roma.
Piove da ieri.
Ho fame.
Chiudi la porta, per favore.
Sono arrivati tardi al lavoro.
Ti amo.
L'aereo è atterrato alle nove.
Una donna taglia una cipolla.
Ho dimenticato le chiavi a casa.
Non sono mai stato in Italia.
Vorrei un caffè, grazie.
Mio padre ha sessant'anni.
La riunione è stata rinviata a venerdì.
Il prezzo della benzina è salito di nuovo.
Ci sono molte persone in piazza.
Due gatti sono seduti su un tavolo.
Arrivederci!
Perché non mi hai chiamato?
Il ragazzo va in bicicletta.
Vado al cinema con i miei amici.
La zuppa è molto calda.
Nessuno ha risposto alla domanda.
Ha perso il lavoro l'anno scorso.
Buon compleanno!
La finestra è aperta.
""".splitlines()

CATALAN = """\
La casa és vermella.
No sé què dir.
Moltes gràcies per l'ajuda.
On és l'estació de tren?
El meu germà treballa en un hospital.
Li agrada molt llegir a la nit.
Demà anirem a la platja amb els nens.
El gos dorm al sofà.
Parles anglès?
Quant costa aquest llibre?
Bon dia, com estàs?
He de comprar pa i llet.
Els nens juguen al jardí.
Un home toca la guitarra al carrer.
El govern ha anunciat noves mesures econòmiques.
La policia ha detingut dues persones a Barcelona.
Plou des d'ahir.
Tinc gana.
Tanca la porta, si us plau.
Van arribar tard a la feina.
T'estimo.
L'avió va aterrar a les nou.
Una dona talla una ceba.
M'he deixat les claus a casa.
No he estat mai a Catalunya.
Vull un cafè amb llet.
El meu pare té seixanta anys.
La reunió s'ha ajornat fins divendres.
El preu de la benzina ha tornat a pujar.
Hi ha molta gent a la plaça.
Dos gats seuen damunt d'una taula.
Fins demà!
Per què no em vas trucar?
El noi va amb bicicleta.
Vaig al cinema amb els meus amics.
La sopa és molt calenta.
Ningú no va respondre la pregunta.
Va perdre la feina l'any passat.
Per molts anys!
La finestra és oberta.
""".splitlines()

JAPANESE = """\
家は赤いです。
何と言えばいいかわかりません。
手伝ってくれてありがとう。
駅はどこですか。
弟は病院で働いています。
彼女は夜に本を読むのが好きです。
明日、子供たちと海に行きます。
犬がソファーで寝ている。
英語を話せますか。
この本はいくらですか。
おはようございます。
パンと牛乳を買わなければならない。
子供たちが庭で遊んでいる。
男の人が通りでギターを弾いている。
政府は新しい経済対策を発表した。
警察は東京で二人を逮捕した。
昨日から雨が降っている。
お腹が空いた。
ドアを閉めてください。
彼らは仕事に遅れた。
愛してる。
飛行機は九時に着陸した。
カレー
ありがとう!
2019年に東京タワーへ行った。
iPhoneを買いました。
""".splitlines()

SHORT_SPANISH = """\
Sí.
Vale.
Gracias.
De nada.
Adiós.
Hola, Tom.
¿Y tú?
Ven aquí.
Me gusta.
No sé.
Casa.
Te amo.
La casa.
El perro.
Tengo hambre.
Lo siento.
Perdón.
Barcelona.
Buenos días, María.
Hasta mañana.
¡Feliz cumpleaños!
Dos gatos.
Un hombre corre.
Una mujer canta.
¿Qué hora es?
¿Cómo te llamas?
Cierra la puerta.
Te quiero.
Vamos a la playa.
Está lloviendo.
Me llamo Ana.
Soy de Perú.
Son las tres.
Muy bien.
Por favor.
Tom es alto.
¡Salud!
Vino tinto.
Una casa roja.
LA CASA ES ROJA
jajaja qué risa 😂
El 12% de los casos.
Vive en São Paulo.
Me encanta la pizza Margherita.
El Barça ganó 3-1.
El presidente Lula da Silva llega a Brasilia.
""".splitlines()

NAMES_IN_ENGLISH = """\
Yes.
No.
OK
Thanks.
Hi, Tom.
Come here.
I like it.
House.
London.
I don't know.
A dog.
A man is playing.
Two cats.
Good morning, Maria.
Happy birthday!
What time is it?
Close the door.
I love you.
It is raining.
lol that's so funny 😂
12% of cases.
He lives in São Paulo.
I love pizza Margherita.
Barça won 3-1.
Déjà vu all over again.
The café is closed.
El Niño is coming.
Bayern Munich beat Borussia Dortmund.
Nein means no.
Bashar al-Assad
Dow, S&P 500 close higher
Palestinian president Mahmoud Abbas
Schumacher
""".splitlines()

EVERYDAY = {
    "Portuguese": (PORTUGUESE, 0),
    "Italian": (ITALIAN, 1),
    "Catalan": (CATALAN, 1),
    "Japanese": (JAPANESE, 0),
}
"""By language: the sentences, and how many may be taken for Spanish or English."""
