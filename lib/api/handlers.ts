import { type Handlers, Reply } from '../http/route.ts'
import type { apiRoutes } from './contract.ts'

/** `describe` makes the description; it is called when somebody first asks, and once. */
export const apiHandlers = ({ describe }: { describe: () => object }): Handlers<typeof apiRoutes> => {
  let text: string | undefined
  return {
    openApi: () => {
      text ??= JSON.stringify(describe())
      return new Reply({ raw: text })
    },
  }
}
