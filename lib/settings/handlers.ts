import type { Handlers } from '../http/route.ts'
import type { settingsRoutes } from './contract.ts'
import type { SettingsService } from './service.ts'

type Needs = { settings: SettingsService }

export const settingsHandlers = ({ settings }: Needs): Handlers<typeof settingsRoutes> => ({
  readSettings: async () => {
    await settings.latest()
    return settings.read()
  },
  // Unknown settings were dropped before; a request without known ones is answered that nothing changed.
  changeSettings: async ({ body }, { principal }) => {
    const { changed, ...answer } = await settings.change(principal, body)
    return { message: changed ? 'Settings changed' : 'Nothing to change', ...answer }
  },
})
