import * as z from 'zod'
import { type Setting, type Settings, settingsCatalog } from './catalog.ts'

export type { Settings } from './catalog.ts'

const groups = Object.entries<Readonly<Record<string, Setting>>>(settingsCatalog)

const shapeOf = (settings: Readonly<Record<string, Setting>>, wrap: (schema: z.ZodType) => z.ZodType) =>
  z.object(Object.fromEntries(Object.entries(settings).map(([name, { schema }]) => [name, wrap(schema)])))

export const SettingsSchema = z.object(
  Object.fromEntries(groups.map(([group, settings]) => [group, shapeOf(settings, (schema) => schema)])),
) as unknown as z.ZodType<Settings>

/** Some settings with new values; `null` removes the stored value. */
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

export const SourceSchema = z.enum(['environment', 'stored', 'default'])
export type Source = z.output<typeof SourceSchema>
