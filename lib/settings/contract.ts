import * as z from 'zod'
import { defineRoutes } from '../http/route.ts'
import { SettingsPatch, SettingsSchema, SourceSchema } from './schema.ts'

const answer = {
  settings: SettingsSchema,
  sources: z.record(z.string(), SourceSchema).meta({
    description: 'Source of each setting, by dotted path',
    examples: [{ 'queue.concurrency': 'default' }],
  }),
}

export const settingsRoutes = defineRoutes({
  readSettings: {
    method: 'GET',
    path: '/api/settings',
    summary: 'Get the settings',
    about: 'Includes the source of each value. Settings from the environment cannot be changed at run time.',
    access: 'admin',
    response: z.object(answer),
  },
  changeSettings: {
    method: 'PATCH',
    path: '/api/settings',
    summary: 'Update settings',
    about:
      'Null resets a setting, and omitted settings stay unchanged. Settings from the environment are rejected.',
    access: 'admin',
    body: SettingsPatch.meta({ examples: [{ retry: { attempts: 5 } }] }),
    response: z.object({ message: z.string(), ...answer }),
  },
})
