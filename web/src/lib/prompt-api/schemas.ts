/**
 * The shapes the prompt API answers with, read tolerantly: a list may be bare or wrapped under
 * `prompts` or `versions`, one item may be bare or wrapped under `prompt` or `version`, and fields
 * an older server does not send have a value that means "unknown".
 */
import * as z from 'zod/mini';

const versionSchema = z.object({
  id: z.number(),
  version: z.number(),
  template: z.string(),
  content_hash: z._default(z.string(), ''),
  created_at: z._default(z.string(), ''),
  metadata: z.nullish(z.record(z.string(), z.unknown())),
});

/** One numbered text of a prompt. */
export type PromptVersion = z.infer<typeof versionSchema>;

const repositorySchema = z.object({
  id: z.optional(z.union([z.number(), z.string()])),
  owner: z.string(),
  slug: z.string(),
});

const promptSchema = z.object({
  id: z.number(),
  key: z.string(),
  name: z.string(),
  description: z._default(z.nullable(z.string()), null),
  tags: z._default(z.array(z.string()), []),
  is_archived: z._default(z.boolean(), false),
  current_version: z._default(z.nullable(versionSchema), null),
  created_at: z._default(z.string(), ''),
  updated_at: z._default(z.string(), ''),
  repository: z.nullish(repositorySchema),
  versions_count: z.optional(z.number()),
});

/** A prompt with its current version. */
export type Prompt = z.infer<typeof promptSchema>;

const lintSchema = z.object({
  code: z.string(),
  message: z.string(),
});

const compiledSchema = z.object({
  key: z._default(z.nullable(z.string()), null),
  version: z._default(z.nullable(z.number()), null),
  compiled_template: z.string(),
  metadata: z.nullish(
    z.object({
      missing: z._default(z.array(z.string()), []),
      unused: z._default(z.array(z.string()), []),
      warnings: z._default(z.array(lintSchema), []),
    }),
  ),
  system_variables: z._default(z.record(z.string(), z.union([z.string(), z.number()])), {}),
});

/** What a compile answers. */
export type CompiledPrompt = z.infer<typeof compiledSchema>;

const componentSchema = z.object({ name: z.string(), status: z.string() });

const healthSchema = z.object({
  status: z.string(),
  message: z.optional(z.string()),
  timestamp: z.optional(z.string()),
  version: z.optional(z.string()),
  components: z._default(z.array(componentSchema), []),
});

/** How the server and its parts are. */
export type Health = z.infer<typeof healthSchema>;

const statsSchema = z.object({
  prompts: z.nullish(z.number()),
  versions: z.nullish(z.number()),
  api_calls: z.nullish(z.number()),
  avg_response_ms: z.nullish(z.number()),
});

/** Numbers about what the caller can see; null or absent means unknown. */
export type StatsOverview = z.infer<typeof statsSchema>;

const organizationSchema = z.object({
  id: z.union([z.number(), z.string()]),
  slug: z.string(),
  name: z.string(),
  role: z._default(z.string(), ''),
});

/** An organisation the caller belongs to. */
export type Organization = z.infer<typeof organizationSchema>;

const problemSchema = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    details: z.optional(z.unknown()),
  }),
});

const fieldProblemsSchema = z.array(z.object({ field: z.string(), message: z.string() }));

/** What the server says about a request it refused. */
export interface Problem {
  code: string;
  message: string;
  fields: { field: string; message: string }[];
}

type Schema<T> = z.ZodMiniType<T>;

/** What stands under the wrapper's name, if that can be it: a version has a number of that name. */
function unwrap(body: unknown, wrapper: string): unknown {
  if (typeof body !== 'object' || body === null) return body;
  const inner = (body as Record<string, unknown>)[wrapper];
  return typeof inner === 'object' && inner !== null ? inner : body;
}

function parseList<T>(schema: Schema<T>, body: unknown, wrapper: string): T[] {
  const result = z.safeParse(z.array(schema), unwrap(body, wrapper));
  if (result.success) return result.data;
  console.warn(`Unexpected shape of a list of ${wrapper}`, result.error.issues.slice(0, 3));
  return [];
}

function parseOne<T>(schema: Schema<T>, body: unknown, wrapper?: string): T | undefined {
  const value = wrapper === undefined ? body : unwrap(body, wrapper);
  return z.safeParse(schema, value).data;
}

/** A list in an unexpected shape is an empty one; HTTP failures never get here. */
export const parsePrompts = (body: unknown) => parseList<Prompt>(promptSchema, body, 'prompts');

export const parseVersions = (body: unknown) =>
  parseList<PromptVersion>(versionSchema, body, 'versions');

export const parseOrganizations = (body: unknown) =>
  parseList<Organization>(organizationSchema, body, 'organizations');

/** An item that is missing or in an unexpected shape is `undefined`; the caller names the error. */
export const parsePrompt = (body: unknown) => parseOne<Prompt>(promptSchema, body, 'prompt');

export const parseVersion = (body: unknown) =>
  parseOne<PromptVersion>(versionSchema, body, 'version');

export const parseCompiled = (body: unknown) => parseOne<CompiledPrompt>(compiledSchema, body);

export const parseHealth = (body: unknown) => parseOne<Health>(healthSchema, body);

export const parseStats = (body: unknown) => parseOne<StatsOverview>(statsSchema, body);

/** The server's own words in an error body, when it has that shape. */
export function parseProblem(text: string): Problem | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  const problem = z.safeParse(problemSchema, body).data?.error;
  if (problem === undefined) return undefined;
  const fields = z.safeParse(fieldProblemsSchema, problem.details).data ?? [];
  return { code: problem.code, message: problem.message, fields };
}
