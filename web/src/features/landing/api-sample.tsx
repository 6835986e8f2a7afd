/** How code gets a prompt: the real call and its real answer. */

const REQUEST = `curl "$WILDFIRE_URL/api/v1/prompts/compile/support-reply" \\
  -H "Authorization: Bearer $TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '{"variables": {"customer": "Ada", "topic": "her invoice"}}'`;

const ANSWER = `{
  "key": "support-reply",
  "version": 4,
  "compiled_template": "You are a support engineer. …",
  "metadata": { "missing": ["tone"], "unused": [], … }
}`;

const STEPS = [
  { title: 'Write', text: 'Save a template with {variables} under a key.' },
  { title: 'Review', text: 'Compare versions line by line before they go out.' },
  { title: 'Fetch', text: 'Your code asks for the key and gets the text, ready to send.' },
];

export function ApiSample() {
  return (
    <section aria-labelledby="api-title" className="border-t">
      <div className="mx-auto grid max-w-content gap-12 px-4 py-16 md:px-6 md:py-24 lg:grid-cols-[1fr_1.2fr] lg:items-center">
        <div>
          <h2 id="api-title" className="text-2xl md:text-3xl">
            One key in your code
          </h2>
          <ol className="mt-8 grid gap-5">
            {STEPS.map(({ title, text }, index) => (
              <li key={title} className="flex gap-4">
                <span
                  aria-hidden="true"
                  className="grid size-7 shrink-0 place-items-center rounded-md border font-mono text-xs text-muted"
                >
                  {index + 1}
                </span>
                <div>
                  <h3 className="text-base tracking-normal">{title}</h3>
                  <p className="text-muted">{text}</p>
                </div>
              </li>
            ))}
          </ol>
        </div>
        <div className="overflow-hidden rounded-lg border bg-surface">
          <Code label="Request" text={REQUEST} />
          <div className="border-t bg-raised/60">
            <Code label="Answer" text={ANSWER} />
          </div>
        </div>
      </div>
    </section>
  );
}

function Code({ label, text }: { label: string; text: string }) {
  return (
    <figure className="p-4">
      <figcaption className="mb-2 text-xs font-medium text-muted">{label}</figcaption>
      {/* Lines wrap on narrow screens: a box that scrolls sideways hides what it says. */}
      <pre className="font-mono text-xs leading-6 break-words whitespace-pre-wrap sm:text-sm">
        {text}
      </pre>
    </figure>
  );
}
