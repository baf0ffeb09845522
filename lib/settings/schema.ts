import * as z from 'zod'
import { type Setting, type Settings, settingsCatalog } from './catalog.ts'

export type { Settings } from './catalog.ts'

/** The events of each outbound webhook, by its id. */
export type Subscriptions = Readonly<Record<string, readonly string[]>>

const groups = Object.entries<Readonly<Record<string, Setting>>>(settingsCatalog)

const shapeOf = (settings: Readonly<Record<string, Setting>>, wrap: (schema: z.ZodType) => z.ZodType) =>
  z.object(Object.fromEntries(Object.entries(settings).map(([name, { schema }]) => [name, wrap(schema)])))

/** Every setting with its value. The catalog says which there are; its type does too. */
export const SettingsSchema = z.object(
  Object.fromEntries(groups.map(([group, settings]) => [group, shapeOf(settings, (schema) => schema)])),
) as unknown as z.ZodType<Settings>

/** Some settings with new values; `null` takes back what was stored. */
export const SettingsPatch = z.object(
  Object.fromEntries(
    groups.map(([group, settings]) => [
      group,
      shapeOf(settings, (schema) => schema.nullable().optional()).optional(),
    ]),
  ),
) as unknown as z.ZodType<SettingsPatch>

export type SettingsPatch = {
  [Group in keyof Settings]?: { [Name in keyof Settings[Group]]?: Settings[Group][Name] | null }
}

/** Where a value comes from; what the environment says goes before what was stored. */
export const SourceSchema = z.enum(['environment', 'stored', 'default'])
export type Source = z.output<typeof SourceSchema>
