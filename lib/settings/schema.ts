import * as z from 'zod'
import { securityModes } from '../core/security-mode.ts'

/** The highest budget that can be set. */
const MOST_DOLLARS = 1_000_000_000

/** One setting: its schema, and the environment variable that takes precedence over the stored value. */
type Setting = { variable: string; schema: z.ZodType }

/** US dollars; 0 is no limit. */
const dollars = z.number().min(0).max(MOST_DOLLARS)
const count = (least: number, most: number) => z.int().min(least).max(most)

/** Every setting of the API, by group: requests, answers and their checks derive from it. */
export const settingsCatalog = {
  system: {
    authMode: { variable: 'AUTH_MODE', schema: z.enum(['local', 'cloud', 'oidc']) },
    registrationMode: { variable: 'REGISTRATION_MODE', schema: z.enum(['invite', 'open', 'closed']) },
  },
  queue: {
    name: { variable: 'QUEUE_NAME', schema: z.string() },
    notificationName: { variable: 'QUEUE_NOTIFICATION_NAME', schema: z.string() },
    concurrency: { variable: 'QUEUE_CONCURRENCY', schema: count(1, 1_000) },
    notificationConcurrency: { variable: 'QUEUE_NOTIFICATION_CONCURRENCY', schema: count(1, 1_000) },
  },
  concurrency: {
    perAgent: { variable: 'CONCURRENCY_PER_AGENT', schema: count(0, 100_000) },
    perRepository: { variable: 'CONCURRENCY_PER_REPOSITORY', schema: count(0, 100_000) },
    perUser: { variable: 'CONCURRENCY_PER_USER', schema: count(0, 100_000) },
  },
  retry: {
    attempts: { variable: 'QUEUE_RETRY_ATTEMPTS', schema: count(1, 100) },
    backoff: { variable: 'QUEUE_RETRY_BACKOFF_MS', schema: count(0, 86_400_000) },
    type: { variable: 'QUEUE_RETRY_TYPE', schema: z.enum(['exponential', 'fixed']) },
  },
  tasks: {
    securityMode: { variable: 'TASK_SECURITY_MODE', schema: z.enum(securityModes) },
  },
  budget: {
    monthlyUsd: { variable: 'BUDGET_MONTHLY_USD', schema: dollars },
    userMonthlyUsd: { variable: 'BUDGET_USER_MONTHLY_USD', schema: dollars },
    unknown: { variable: 'BUDGET_UNKNOWN', schema: z.enum(['warn', 'stop']) },
  },
  memory: {
    recordExperiences: { variable: 'MEMORY_RECORD_EXPERIENCES', schema: z.boolean() },
  },
  webhooks: {
    retryDelaysMs: {
      variable: 'WEBHOOK_RETRY_DELAYS_MS',
      schema: z.array(count(0, 30 * 86_400_000)).length(5),
    },
    cancelClosed: { variable: 'WEBHOOK_CANCEL_CLOSED', schema: z.boolean() },
  },
  reporting: {
    comments: { variable: 'REPORT_COMMENTS', schema: z.boolean() },
    pullRequests: { variable: 'REPORT_PULL_REQUESTS', schema: z.boolean() },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Setting>>>>

type Catalog = typeof settingsCatalog
/** Every setting with its value, by group. */
export type Settings = {
  [Group in keyof Catalog]: { [Name in keyof Catalog[Group]]: ValueOf<Catalog[Group][Name]> }
}
type ValueOf<S> = S extends { schema: infer T extends z.ZodType } ? z.output<T> : never

export const everySetting: readonly (Setting & { path: string })[] = Object.entries(settingsCatalog).flatMap(
  ([group, settings]) =>
    Object.entries<Setting>(settings).map(([name, setting]) => ({ path: `${group}.${name}`, ...setting })),
)

const groups = Object.entries<Readonly<Record<string, Setting>>>(settingsCatalog)

const groupShape = (settings: Readonly<Record<string, Setting>>, wrap: (schema: z.ZodType) => z.ZodType) =>
  z.object(Object.fromEntries(Object.entries(settings).map(([name, { schema }]) => [name, wrap(schema)])))

export const SettingsSchema = z.object(
  Object.fromEntries(groups.map(([group, settings]) => [group, groupShape(settings, (schema) => schema)])),
) as unknown as z.ZodType<Settings>

/** Some settings with new values; `null` removes the stored value. */
export const SettingsPatch = z.object(
  Object.fromEntries(
    groups.map(([group, settings]) => [
      group,
      groupShape(settings, (schema) => schema.nullable().optional()).optional(),
    ]),
  ),
) as unknown as z.ZodType<SettingsPatch>

export type SettingsPatch = {
  [Group in keyof Settings]?: { [Name in keyof Settings[Group]]?: Settings[Group][Name] | null }
}

export const SourceSchema = z.enum(['environment', 'stored', 'default'])
export type Source = z.output<typeof SourceSchema>
