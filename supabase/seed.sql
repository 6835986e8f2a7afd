-- Public repositories to browse on the first day: rows like everybody's, owned by an organization
-- nobody belongs to, so that nobody can change them. Running this twice changes nothing.

insert into wildfire.organizations (slug, name)
values ('wildfire', 'Wildfire')
on conflict (slug) do nothing;

insert into wildfire.repositories (organization_id, slug, name, description, readme, visibility)
select organization.id, repository.slug, repository.name, repository.description,
  repository.readme, 'public'
from wildfire.organizations as organization,
  (values
    ('default', 'Default', 'First prompts: one variable, system variables, braces in the text.',
      E'# Start here\n\nThree prompts that show what a template can do: a variable such as `{name}`, the system variables `{TODAY}` and `{TIME}`, and JSON that stays as it is.\n'),
    ('customer-support', 'Customer support', 'Sorting, answering and summing up what customers write.',
      E'# Customer support\n\nThe three prompts follow one ticket: sort it, answer it, sum it up for whoever takes over.\n'),
    ('writing-desk', 'Writing desk', 'Rewriting, summaries and release notes in a house style.',
      E'# Writing desk\n\nEvery prompt takes the house style as a variable, so that one style guide serves them all.\n'),
    ('code-review', 'Code review', 'Reviews, commit messages and tests from a diff.',
      E'# Code review\n\nGive each prompt a unified diff. They ask for what is wrong and why, not for praise.\n'),
    ('data-extraction', 'Data extraction', 'JSON out of free text, with the schema in the prompt.',
      E'# Data extraction\n\nThe braces of the JSON in these templates are text: only a name in single braces is a variable.\n')
  ) as repository (slug, name, description, readme)
where organization.slug = 'wildfire'
on conflict (organization_id, slug) do nothing;

insert into wildfire.prompts
  (repository_id, key, name, description, tags, template, new_version_metadata)
select repository.id, prompt.key, prompt.name, prompt.description, prompt.tags, prompt.template,
  jsonb_build_object('description', 'First version')
from wildfire.repositories as repository
join wildfire.organizations as organization on organization.id = repository.organization_id
join (values
  ('default', 'greeting', 'Greeting', 'A greeting that knows the reader''s name and product.',
    array['starter'],
    $$Write one friendly sentence that greets {name}, who uses {product}.$$),
  ('default', 'daily-brief', 'Daily brief', 'What matters today, from a list of notes.',
    array['starter', 'summary'],
    $$Today is {TODAY}, {TIME} UTC.

From the notes below, list at most three things that need attention today. One line each, most urgent first. If nothing does, say so.

<notes>
{notes}
</notes>$$),
  ('default', 'sentiment-json', 'Sentiment as JSON', 'Braces of JSON beside a variable.',
    array['starter', 'classification', 'json'],
    $$Classify the sentiment of the text between the tags. Answer with JSON only, in this form:
{"sentiment": "positive" | "neutral" | "negative", "confidence": 0.0}

<text>
{text}
</text>$$),
  ('customer-support', 'ticket-triage', 'Ticket triage', 'Category, urgency and queue of a ticket.',
    array['support', 'classification', 'json'],
    $$You sort support tickets for {company}.

Queues: {queues}

Read the ticket and answer with JSON only:
{"queue": "…", "urgency": "low" | "normal" | "high", "reason": "one sentence"}

<ticket>
{ticket}
</ticket>$$),
  ('customer-support', 'ticket-reply', 'Ticket reply', 'A first answer in the company''s voice.',
    array['support', 'writing'],
    $$Write a reply to the customer below on behalf of {company}. Voice: {voice}.

Use only facts from the knowledge base. If it does not hold the answer, say that a colleague will look into it; promise nothing else.

<knowledge_base>
{articles}
</knowledge_base>

<ticket>
{ticket}
</ticket>$$),
  ('customer-support', 'ticket-handover', 'Ticket handover', 'A thread summed up for the next person.',
    array['support', 'summary'],
    $$Sum up this conversation for a colleague who takes over at {TIME} on {DATE}: what the customer wants, what was tried, what was promised, what is open. At most 120 words.

<conversation>
{conversation}
</conversation>$$),
  ('writing-desk', 'rewrite', 'Rewrite', 'The same content in the house style.',
    array['writing'],
    $$Rewrite the text in this style: {style}

Keep every fact and every number. Do not add any. Keep the language of the text.

<text>
{text}
</text>$$),
  ('writing-desk', 'release-notes', 'Release notes', 'Notes for users from a list of changes.',
    array['writing', 'engineering'],
    $$Write release notes for {product} {version}, dated {TODAY}, for {audience}.

Group by New, Changed and Fixed, and leave out empty groups. Say what a user can do now, not how it was built.

<changes>
{changes}
</changes>$$),
  ('writing-desk', 'summary', 'Summary', 'A text in a given number of words.',
    array['writing', 'summary'],
    $$Sum up the text in at most {words} words for {audience}. Begin with the conclusion.

<text>
{text}
</text>$$),
  ('code-review', 'review-diff', 'Review a diff', 'What is wrong in a change, with line and reason.',
    array['engineering', 'review'],
    $$You review a change to a {language} code base.

List only problems that could break something: wrong results, lost data, security, races, missing error handling. For each: file and line, what happens, and the smallest fix. Write "No problems found." if there are none.

<diff>
{diff}
</diff>$$),
  ('code-review', 'commit-message', 'Commit message', 'Subject and body from a diff.',
    array['engineering', 'writing'],
    $$Write a commit message for this diff. Subject: imperative, at most {limit} characters. Body: why the change was made, if the diff shows it; otherwise no body.

<diff>
{diff}
</diff>$$),
  ('code-review', 'test-cases', 'Test cases', 'Cases for a function, edges first.',
    array['engineering', 'testing'],
    $$List test cases for this {language} function as a table: name, input, expected result. Edges and errors first. Do not write the test code.

<function>
{code}
</function>$$),
  ('data-extraction', 'invoice', 'Invoice', 'Number, date, lines and total of an invoice.',
    array['extraction', 'json'],
    $$Extract this invoice as JSON:
{"number": "…", "date": "YYYY-MM-DD", "currency": "ISO 4217", "lines": [{"text": "…", "quantity": 0, "price": 0.00}], "total": 0.00}

Write null for what is not in the text. Do not compute anything.

<invoice>
{invoice}
</invoice>$$),
  ('data-extraction', 'contact', 'Contact', 'People and addresses in a mail''s signature.',
    array['extraction', 'json'],
    $$Extract the sender from this mail as JSON: {"name": "…", "company": "…", "email": "…", "phone": "E.164"}

The country is {country} unless the text says otherwise. Write null for what is missing.

<mail>
{mail}
</mail>$$)
) as prompt (repository, key, name, description, tags, template)
  on prompt.repository = repository.slug
where organization.slug = 'wildfire'
on conflict (repository_id, key) do nothing;

-- Later versions, so that there is a history to look at. Each applies only to the version before it.
update wildfire.prompts as prompt
set template = later.template,
  new_version_metadata = jsonb_build_object('description', later.description)
from wildfire.repositories as repository
join wildfire.organizations as organization on organization.id = repository.organization_id
join (values
  ('default', 'greeting', 'Ask for the tone',
    $$Write one {tone} sentence that greets {name}, who uses {product}.$$),
  ('customer-support', 'ticket-triage', 'Name the language, too',
    $$You sort support tickets for {company}.

Queues: {queues}

Read the ticket and answer with JSON only:
{"queue": "…", "urgency": "low" | "normal" | "high", "language": "ISO 639-1", "reason": "one sentence"}

<ticket>
{ticket}
</ticket>$$),
  ('code-review', 'review-diff', 'Ask for the input that triggers each problem',
    $$You review a change to a {language} code base.

List only problems that could break something: wrong results, lost data, security, races, missing error handling. For each: file and line, the input or the order of events that triggers it, what happens, and the smallest fix. Write "No problems found." if there are none.

<diff>
{diff}
</diff>$$)
) as later (repository, key, description, template) on later.repository = repository.slug
where organization.slug = 'wildfire'
  and prompt.repository_id = repository.id
  and prompt.key = later.key
  and prompt.version = 1;

update wildfire.prompts as prompt
set template = later.template,
  new_version_metadata = jsonb_build_object('description', later.description)
from wildfire.repositories as repository
join wildfire.organizations as organization on organization.id = repository.organization_id
join (values
  ('default', 'greeting', 'Mention the day',
    $$Write one {tone} sentence that greets {name}, who uses {product}. Today is {TODAY}.$$)
) as later (repository, key, description, template) on later.repository = repository.slug
where organization.slug = 'wildfire'
  and prompt.repository_id = repository.id
  and prompt.key = later.key
  and prompt.version = 2;
