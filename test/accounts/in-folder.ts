import { openService } from '../journeys/opened-service.ts'
import { type Environment, temporaryFolder } from '../journeys/service.ts'
import { visit } from './visitor.ts'

/** A folder in which a service that people reach directly is opened, again and again, with a visitor. */
export const inFolder = () => {
  const folder = temporaryFolder()
  return {
    start: async (env: Environment = {}) => {
      const service = await openService({ DATA_DIR: folder.path, ...env })
      const visitor = visit(service.baseUrl, {}, { direct: true })
      const change = (system: object) => visitor.send('PATCH /api/settings', { system })
      const end = async () => {
        visitor[Symbol.dispose]()
        await service[Symbol.asyncDispose]()
      }
      return { ...visitor, change, [Symbol.asyncDispose]: end }
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}
