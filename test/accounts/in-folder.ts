import { type Environment, startService, temporaryFolder } from '../journeys/service.ts'
import { visit } from './visitor.ts'

/** A folder in which a service that people reach directly is started, again and again; whoever starts it visits it. */
export const inFolder = () => {
  const folder = temporaryFolder()
  return {
    start: async (env: Environment = {}) => {
      const service = await startService({ env: { DATA_DIR: folder.path, ...env } })
      const visitor = visit(service.baseUrl, {}, { direct: true })
      const change = (system: object) => visitor.send('PATCH /api/settings', { system })
      const end = async () => {
        visitor[Symbol.dispose]()
        await service[Symbol.asyncDispose]()
      }
      return { ...service, ...visitor, change, [Symbol.asyncDispose]: end }
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}
