import type { Handlers } from '../http/route.ts'
import type { settingsRoutes } from './contract.ts'
import type { SettingsService } from './service.ts'

type Needs = { settings: SettingsService }

export const settingsHandlers = ({ settings }: Needs): Handlers<typeof settingsRoutes> => ({
  readSettings: async () => {
    await settings.refresh()
    return settings.read()
  },
  // What is no setting was dropped on the way in: a request with nothing else is answered that nothing happened.
  changeSettings: async ({ body }, { principal }) => {
    const { changed, ...answer } = await settings.change(principal, body)
    return { message: changed ? 'Settings changed' : 'Nothing to change', ...answer }
  },
})
