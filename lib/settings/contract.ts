import * as z from 'zod'
import { defineRoutes } from '../http/route.ts'
import { SettingsPatch, SettingsSchema, SourceSchema } from './schema.ts'

const answer = {
  settings: SettingsSchema,
  sources: z
    .record(z.string(), SourceSchema)
    .meta({ description: 'By dotted path', examples: [{ 'queue.concurrency': 'default' }] }),
}

export const settingsRoutes = defineRoutes({
  readSettings: {
    method: 'GET',
    path: '/api/settings',
    summary: 'Read the settings, and where each value comes from',
    about: 'Settings from the environment cannot be changed at run time.',
    access: 'admin',
    response: z.object(answer),
  },
  changeSettings: {
    method: 'PATCH',
    path: '/api/settings',
    summary: 'Change settings; null resets a setting',
    about: 'Settings that are not sent stay unchanged; those from the environment are rejected.',
    access: 'admin',
    body: SettingsPatch.meta({ examples: [{ retry: { attempts: 5 } }] }),
    response: z.object({ message: z.string(), ...answer }),
  },
})
