import * as z from 'zod'
import { defineRoutes } from '../http/route.ts'
import { SettingsPatch, SettingsSchema, SourceSchema } from './schema.ts'

const answer = {
  settings: SettingsSchema,
  /** By dotted path. */
  sources: z.record(z.string(), SourceSchema),
}

export const settingsRoutes = defineRoutes({
  readSettings: {
    method: 'GET',
    path: '/api/settings',
    summary: 'Read the settings, and where each value comes from',
    access: 'admin',
    response: z.object(answer),
  },
  changeSettings: {
    method: 'PATCH',
    path: '/api/settings',
    summary: 'Change settings; null takes a stored value back',
    access: 'admin',
    body: SettingsPatch,
    response: z.object({ message: z.string(), ...answer }),
  },
})
