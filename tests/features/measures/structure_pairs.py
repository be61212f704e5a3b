"""Pairs of like words, written by us: those that exchange something, and those that only reorder."""

CONFLICTING = {
    "role": """
the dog bit the man | the man bit the dog
The cat chased the mouse. | The mouse chased the cat.
Anna invited Peter. | Peter invited Anna.
The police officer arrested the burglar. | The burglar arrested the police officer.
Google acquired the small startup. | The small startup acquired Google.
The teacher was praised by the student. | The student was praised by the teacher.
The nurse has been helped by the doctor. | The nurse has helped the doctor.
The boy kicked the ball. | The ball kicked the boy.
My sister called your brother yesterday. | Yesterday your brother called my sister.
The tall man pushed the short man. | The short man pushed the tall man.
Maria gave Tom a book. | Tom gave Maria a book.
Maria gave a book to Tom. | Maria was given a book by Tom.
The uncle sent the letter to his niece. | The niece sent the letter to her uncle.
Alice bought the house from Bob. | Bob bought the house from Alice.
Alice bought the house from Bob. | Alice sold the house to Bob.
Kim borrowed fifty dollars from Lee. | Kim lent fifty dollars to Lee.
Spain beat Italy in the final. | Italy beat Spain in the final.
Spain won against Italy. | Spain lost to Italy.
The lion that chased the zebra was hungry. | The lion that the zebra chased was hungry.
The president who criticized the senator resigned. | The president whom the senator criticized resigned.
Ann sang and Bob danced. | Bob sang and Ann danced.
Tom likes tea and Sue likes coffee. | Tom likes coffee and Sue likes tea.
Emma is the mother of Olivia. | Olivia is the mother of Emma.
Emma is Olivia's mother. | Emma is Olivia's daughter.
The committee asked the director to resign. | The director asked the committee to resign.
The journalist accused the minister of lying. | The minister accused the journalist of lying.
Wolves hunt deer. | Deer hunt wolves.
France lent Germany two paintings. | Germany lent France two paintings.
The truck crashed into the bus. | The bus crashed into the truck.
The king was murdered by the duke. | The duke was murdered by the king.
Did the lawyer sue the doctor? | Did the doctor sue the lawyer?
The rebels captured the soldiers near the river. | The soldiers captured the rebels near the river.
The snow followed the rain. | The snow preceded the rain.
Paul owes Mary money. | Mary owes Paul money.
The kids will visit their grandparents. | The grandparents will visit the kids.
Rita taught Sam chemistry. | Sam taught Rita chemistry.
Rita taught Sam. | Rita learned from Sam.
The farmer saw the hunter feed the horse. | The hunter saw the farmer feed the horse.
Nadal defeated Federer in four sets. | Nadal was defeated by Federer in four sets.
Lisa told Mark about the accident. | Mark told Lisa about the accident.
""",
    "path": """
flights from Berlin to Amsterdam | flights from Amsterdam to Berlin
The train goes from Paris to Lyon. | The train goes from Lyon to Paris.
He drove to Boston from Chicago. | He drove from Boston to Chicago.
She moved from Spain to Norway in 1999. | She moved from Norway to Spain in 1999.
The book was translated from German into Dutch. | The book was translated from Dutch into German.
I need a ticket from London to Oxford. | I need a ticket from Oxford to London.
Prices rose from 20 to 30 dollars. | Prices went from 30 to 20 dollars.
Temperatures fell from 30 to 20 degrees. | Temperatures fell from 20 to 30 degrees.
He got a letter from Rome. | He got a letter to Rome.
They flew to Madrid. | They flew from Madrid.
cheap bus from Prague to Vienna | cheap bus to Prague from Vienna
The ship sailed from Lisbon to Rio. | The ship sailed to Lisbon from Rio.
""",
    "comparison": """
Peter is taller than Mary. | Mary is taller than Peter.
Peter is taller than Mary. | Peter is shorter than Mary.
Gold is more expensive than silver. | Silver is more expensive than gold.
Gold is more expensive than silver. | Gold is less expensive than silver.
The red car is faster than the blue car. | The blue car is faster than the red car.
Ann has more books than Bob. | Bob has more books than Ann.
There were more cats than dogs. | There were more dogs than cats.
More than 50 people died. | Fewer than 50 people died.
Tokyo is bigger than Osaka. | Osaka is bigger than Tokyo.
My brother runs faster than my cousin. | My cousin runs faster than my brother.
Milk is cheaper than juice. | Milk is more expensive than juice.
The old phone works better than the new one. | The new one works better than the old phone.
Summer was wetter than winter. | Winter was wetter than summer.
Anna is older than Lea. | Anna is younger than Lea.
Lead is heavier than iron. | Iron is heavier than lead.
This exam was harder than the last exam. | The last exam was harder than this exam.
Carl is not as tall as Dave. | Dave is not as tall as Carl.
Boys read less often than girls. | Girls read less often than boys.
""",
    "time": """
She ate before he left. | She ate after he left.
She ate before he left. | He left before she ate.
Before he called, she slept. | After he called, she slept.
Wash your hands before you eat. | Wash your hands after you eat.
The concert started after the rain stopped. | The rain stopped after the concert started.
He showered and then ate breakfast. | He ate breakfast and then showered.
We met after the war. | We met before the war.
After the divorce she moved to Rome. | Before the divorce she moved to Rome.
They married before they bought the house. | They bought the house before they married.
The bell rang before the lesson ended. | The lesson ended before the bell rang.
Add the milk, then stir in the flour. | Stir in the flour, then add the milk.
Prior to the meeting, he read the report. | He read the report after the meeting.
""",
    "cause": """
He was late because the train broke down. | The train broke down because he was late.
The crops failed because the river dried up. | The river dried up because the crops failed.
Smoking causes cancer. | Cancer causes smoking.
It rained, so the game was cancelled. | The game was cancelled, so it rained.
The fire caused the explosion. | The explosion caused the fire.
She quit because she was unhappy. | She was unhappy because she quit.
Poverty leads to crime. | Crime leads to poverty.
Due to the strike, the airport closed. | Due to the closed airport, there was a strike.
""",
    "condition": """
If it rains, the match stops. | If the match stops, it rains.
The alarm rings if the door opens. | The door opens if the alarm rings.
If you pay, you may enter. | If you enter, you may pay.
You will pass if you study. | You will study if you pass.
""",
    "place": """
The lamp is above the table. | The table is above the lamp.
The lamp is above the table. | The lamp is below the table.
The bank is north of the church. | The bank is south of the church.
The bank is north of the church. | The church is north of the bank.
The box is in the bag. | The bag is in the box.
The cat sat behind the dog. | The dog sat behind the cat.
The shop is to the left of the school. | The shop is to the right of the school.
The cup is on the book. | The book is on the cup.
""",
    "lack": """
coffee without sugar | sugar without coffee
She drank tea instead of coffee. | She drank coffee instead of tea.
He left without her. | She left without him.
""",
    "modifier": """
the red car and the blue house | the blue car and the red house
A young man talked about an old car. | An old man talked about a young car.
Ann is 12 and Bob is 9. | Ann is 9 and Bob is 12.
The black dog barked at the white cat. | The white dog barked at the black cat.
The man with the hat met the woman with the umbrella. | The man with the umbrella met the woman with the hat.
Two apples and five pears | Five apples and two pears
John's car and Mary's bike were stolen. | Mary's car and John's bike were stolen.
The soup was cold and the wine was warm. | The soup was warm and the wine was cold.
She bought cheap shoes and an expensive bag. | She bought expensive shoes and a cheap bag.
Maria is a doctor and Karl is a lawyer. | Maria is a lawyer and Karl is a doctor.
The small box is heavy and the large box is light. | The small box is light and the large box is heavy.
The French team beat the German coach's record. | The German team beat the French coach's record.
A girl in a green dress danced with a boy in a grey suit. | A girl in a grey suit danced with a boy in a green dress.
Mount Fuji is 3776 meters high and Mont Blanc is 4808 meters high. | Mount Fuji is 4808 meters high and Mont Blanc is 3776 meters high.
""",
    "modifier moved": """
The red car hit the truck. | The car hit the red truck.
The angry customer shouted at the waiter. | The customer shouted at the angry waiter.
John's sister visited Mary. | Mary's sister visited John.
The dog with the collar followed the boy. | The dog followed the boy with the collar.
""",
    "role moved": """
The boy who won met the girl. | The boy met the girl who won.
Ann said that Bob cried. | Bob said that Ann cried.
The man who was wearing a hat greeted the woman. | The man greeted the woman who was wearing a hat.
""",
}
"""Pairs by the kind of conflict in them."""

AGREEING = """
the dog bit the man | the man was bitten by the dog
The cat chased the mouse. | The mouse was chased by the cat.
The burglar was arrested by the police officer. | The police officer arrested the burglar.
Maria gave Tom a book. | Maria gave a book to Tom.
Maria gave Tom a book. | Tom was given a book by Maria.
Maria gave Tom a book. | Tom received a book from Maria.
A book was given to Tom by Maria. | Maria gave Tom a book.
Alice bought the house from Bob. | Bob sold the house to Alice.
Alice bought the house from Bob. | Bob sold Alice the house.
Kim borrowed fifty dollars from Lee. | Lee lent Kim fifty dollars.
Spain beat Italy. | Italy lost to Spain.
Spain won against Italy. | Italy was beaten by Spain.
Rita taught Sam. | Sam learned from Rita.
The snow followed the rain. | The rain preceded the snow.
The car belongs to Ann. | Ann owns the car.
Emma is the mother of Olivia. | Olivia is the daughter of Emma.
Emma is Olivia's mother. | Olivia is Emma's child.
Mr. Hill is Tom's teacher. | Tom is a student of Mr. Hill.
Tom and Ann sang. | Ann and Tom sang.
Anna met Peter. | Peter met Anna.
Tom married Lisa in May. | Lisa married Tom in May.
Spanish differs from Italian. | Italian differs from Spanish.
France borders Spain. | Spain borders France.
The twins resemble their cousins. | The cousins resemble the twins.
The road between Rome and Milan is closed. | The road between Milan and Rome is closed.
Yesterday the boy saw the girl in the park. | The boy saw the girl in the park yesterday.
In 1990 the company bought its rival. | The company bought its rival in 1990.
With a smile, the waiter served the guest. | The waiter served the guest with a smile.
The committee quickly approved the plan. | The committee approved the plan quickly.
The lion that chased the zebra was hungry. | The lion which chased the zebra was hungry.
The zebra that was chased by the lion escaped. | The zebra that the lion chased escaped.
Tom likes tea and Sue likes coffee. | Sue likes coffee and Tom likes tea.
Ann sang and Bob danced. | Bob danced and Ann sang.
The fire destroyed the house. | The house was destroyed by the fire.
Bread and butter were on the table. | Butter and bread were on the table.
He opened the door. | The door opened.
The wind broke the window. | The window broke.
Paris is the capital of France. | The capital of France is Paris.
My neighbor is Carl. | Carl is my neighbor.
The king of Spain visited the queen of Denmark. | The queen of Denmark was visited by the king of Spain.
The dog that bit the man ran away. | The man was bitten by the dog that ran away.
flights from Berlin to Amsterdam | flights to Amsterdam from Berlin
The train goes from Paris to Lyon. | From Paris, the train goes to Lyon.
He drove to Boston from Chicago. | He drove from Chicago to Boston.
She moved to Norway from Spain in 1999. | In 1999 she moved from Spain to Norway.
Prices rose from 20 to 30 dollars. | Prices increased from 20 to 30 dollars.
They flew to Madrid on Monday. | On Monday they flew to Madrid.
Peter is taller than Mary. | Mary is shorter than Peter.
Gold is more expensive than silver. | Silver is less expensive than gold.
Milk is cheaper than juice. | Juice is more expensive than milk.
Ann is older than Bob. | Bob is younger than Ann.
Bob is not as tall as Ann. | Ann is taller than Bob.
The red car is faster than the blue car. | The blue car is slower than the red car.
There were more cats than dogs. | There were fewer dogs than cats.
Ann has more books than Bob. | Bob has fewer books than Ann.
Ann is as tall as Bob. | Bob is as tall as Ann.
Summer was wetter than winter. | Winter was drier than summer.
My brother runs faster than my cousin. | My cousin runs slower than my brother.
More than 50 people died in the flood. | In the flood, more than 50 people died.
Than any other city, Tokyo is bigger. | Tokyo is bigger than any other city.
She ate before he left. | He left after she ate.
She ate before he left. | Before he left, she ate.
After the rain stopped, the concert started. | The concert started after the rain stopped.
After the rain stopped, the concert started. | The rain stopped before the concert started.
He showered and then ate breakfast. | He showered before he ate breakfast.
Before you eat, wash your hands. | Wash your hands before you eat.
Wash your hands before you eat. | Wash your hands before eating.
Prior to the meeting, he read the report. | He read the report before the meeting.
As soon as he arrived, she left. | She left after he arrived.
We waited until the bus came. | Until the bus came, we waited.
They have lived here since 1990. | Since 1990 they have lived here.
He was late because the train broke down. | Because the train broke down, he was late.
He was late because the train broke down. | The train broke down, so he was late.
Smoking causes cancer. | Cancer is caused by smoking.
Smoking causes cancer. | Cancer results from smoking.
The airport closed because of the strike. | Due to the strike, the airport closed.
It rained, so the game was cancelled. | The game was cancelled because it rained.
Poverty leads to crime. | Crime results from poverty.
If it rains, the match stops. | The match stops if it rains.
The alarm rings if the door opens. | If the door opens, then the alarm rings.
The lamp is above the table. | The table is below the lamp.
The bank is north of the church. | The church is south of the bank.
The shop is to the left of the school. | The school is to the right of the shop.
The cup is on the book. | The book is under the cup.
The cat sat behind the dog. | The dog sat in front of the cat.
coffee without sugar | a coffee without any sugar
She drank tea instead of coffee. | Instead of coffee, she drank tea.
the red car and the blue house | the blue house and the red car
Ann is 12 and Bob is 9. | Bob is 9 and Ann is 12.
The man with the hat met the woman with the umbrella. | The woman with the umbrella met the man with the hat.
Two apples and five pears | Five pears and two apples
The soup was cold and the wine was warm. | The wine was warm and the soup was cold.
John's car and Mary's bike were stolen. | Mary's bike and John's car were stolen.
The small heavy box fell. | The heavy small box fell.
The red car hit the truck. | The truck was hit by the red car.
The car, which was red, hit the truck. | The red car hit the truck.
John's sister visited Mary. | Mary was visited by John's sister.
The sister of John visited Mary. | John's sister visited Mary.
The boy who won met the girl. | The girl met the boy who won.
Peter, who lives in Rome, called Ann. | Ann was called by Peter, who lives in Rome.
Ann said that Bob cried. | Bob cried, Ann said.
Near the river, the rebels captured the soldiers. | The rebels captured the soldiers near the river.
France and Germany signed a treaty with Italy. | Germany and France signed a treaty with Italy.
The players and the coach thanked the fans. | The coach and the players thanked the fans.
In the evening he reads and in the morning he runs. | He runs in the morning and reads in the evening.
The senator, an old friend, praised the mayor. | The mayor was praised by the senator, an old friend.
Lisa talked with Mark. | Mark talked with Lisa.
The two rivers join near the town. | Near the town the two rivers join.
Barcelona played Madrid on Sunday. | On Sunday Madrid played Barcelona.
Nadal defeated Federer in four sets. | Federer was defeated by Nadal in four sets.
The letter was written by Emily to her aunt. | Emily wrote the letter to her aunt.
On Friday the court fined the bank. | The bank was fined by the court on Friday.
"""
"""Pairs of the same meaning, or of none that conflicts."""
