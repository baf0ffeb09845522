import type { Handlers } from '../http/route.ts'
import type { settingsRoutes } from './contract.ts'
import type { SettingsService } from './service.ts'

type Needs = { settings: SettingsService }

export const settingsHandlers = ({ settings }: Needs): Handlers<typeof settingsRoutes> => ({
  readSettings: async () => {
    await settings.refresh()
    return settings.read()
  },
  changeSettings: async ({ body }, { principal }) => ({
    message: 'Settings changed',
    ...(await settings.change(principal, body)),
  }),
})
