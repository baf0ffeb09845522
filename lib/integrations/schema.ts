import * as z from 'zod'
import { boundedText } from '../core/shown-text.ts'
import { WEB_SEARCH_FIELDS, WEB_SEARCH_PROVIDERS } from '../ports/web-search.ts'

const WebSearchProviderSchema = z.enum(WEB_SEARCH_PROVIDERS)

const ApiKey = boundedText(500).regex(/^[\x21-\x7e]*$/, 'must be printable ASCII characters')

const BaseUrl = z
  .string()
  .max(500)
  .refine(isBaseUrl, 'must be an http or https URL without credentials, query or fragment')

function isBaseUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && !/[\s?#@]/.test(text)
}

const KeyChange = ApiKey.nullable()
  .exactOptional()
  .describe('API key. A masked key keeps the stored one; null removes it')
const hosted = z.object({ apiKey: KeyChange }).exactOptional()

export const WebSearchChangeSchema = z
  .object({
    enabled: z.boolean().exactOptional(),
    provider: WebSearchProviderSchema.exactOptional(),
    brave: hosted,
    tavily: hosted,
    serper: hosted,
    searxng: z.object({ baseUrl: BaseUrl.nullable().exactOptional(), apiKey: KeyChange }).exactOptional(),
  })
  .meta({
    id: 'WebSearchChange',
    examples: [{ enabled: true, provider: 'searxng', searxng: { baseUrl: 'http://127.0.0.1:8888' } }],
  })
export type WebSearchChange = z.output<typeof WebSearchChangeSchema>

const ShownKey = z.string().optional().describe('Masked API key; absent if none is stored')
const shownHosted = z.object({ apiKey: ShownKey }).optional()

export const WebSearchConfigSchema = z
  .object({
    enabled: z.boolean(),
    provider: WebSearchProviderSchema,
    brave: shownHosted,
    tavily: shownHosted,
    serper: shownHosted,
    searxng: z.object({ baseUrl: z.string().optional(), apiKey: ShownKey }).optional(),
  })
  .meta({ id: 'WebSearchConfig' })
export type WebSearchConfig = z.output<typeof WebSearchConfigSchema>

export const WebSearchStatusSchema = z.object({
  available: z.boolean().describe('Whether web search is enabled and configured'),
  provider: WebSearchProviderSchema,
  reason: z.string().nullable(),
})
export type WebSearchStatus = z.output<typeof WebSearchStatusSchema>

export const ListedProviderSchema = z.object({
  id: WebSearchProviderSchema,
  name: z.string(),
  description: z.string(),
  configFields: z.array(z.enum(WEB_SEARCH_FIELDS)),
})

const connected = z
  .boolean()
  .describe('Whether an account is linked and its token is valid; otherwise link the account again')
const scopes = z.array(z.string())
const text = z.string().optional()
const rights = {
  askedScopes: z
    .array(z.string())
    .describe(
      'Scopes requested when you link the account; for admins, including permission to comment while reports are on',
    ),
  mayComment: z
    .boolean()
    .describe(
      'Whether the account can write reports: linked by an admin with permission to comment, and reports are on',
    ),
}
/** The present rights of an account, and those it would ask for, by its owner's role and the settings. */
export type Rights = z.output<z.ZodObject<typeof rights>>

export const CodehostStatusSchema = z
  .object({
    connected,
    username: text,
    avatarUrl: text,
    scopes,
    webhookConfigured: z.boolean().describe('Whether a webhook secret is set'),
    aiTaskLabel: z.string().describe('Label that turns an issue into a task'),
    ...rights,
  })
  .meta({ id: 'CodehostStatus' })
export type CodehostStatus = z.output<typeof CodehostStatusSchema>

export const TrackeraStatusSchema = z
  .object({
    connected,
    cloudId: text,
    siteName: text,
    scopes,
    tokenExpiry: z.iso.datetime().optional().describe('When the token expires and is renewed'),
    ...rights,
  })
  .meta({ id: 'TrackeraStatus' })
export type TrackeraStatus = z.output<typeof TrackeraStatusSchema>

export const TrackerbStatusSchema = z
  .object({
    connected,
    workspaceName: text,
    workspaceId: text,
    teams: z.array(z.object({ id: z.string(), name: z.string(), key: z.string() })),
    scopes,
    ...rights,
  })
  .meta({ id: 'TrackerbStatus' })
export type TrackerbStatus = z.output<typeof TrackerbStatusSchema>

/** A segment of dots would lead to another path. */
export const RepositoryName = z
  .string()
  .max(200)
  .regex(/^(?!\.+\/)[\w.-]+\/(?!\.+$)[\w.-]+$/, 'must have the form owner/repo')
  .meta({ examples: ['acme/web'] })

export const ReachableRepositorySchema = z
  .object({
    name: z.string().meta({ description: '`owner/repo`', examples: ['acme/web'] }),
    defaultBranch: z.string().meta({ examples: ['main'] }),
    private: z.boolean(),
  })
  .meta({ id: 'ReachableRepository' })
