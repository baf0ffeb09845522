import { startService, temporaryFolder } from '../journeys/service.ts'
import { type Visitor, visit } from './visitor.ts'

const env = { AUTH_MODE: 'cloud', REGISTRATION_MODE: 'open', TRUST_PROXY: '1', LOG_LEVEL: 'debug' }

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** The real service in cloud mode, open to all, with `ann` as its admin; it tells all that it does. */
export const startCloud = async () => {
  const folder = temporaryFolder()
  let service = await startService({ env: { ...env, DATA_DIR: folder.path } })
  const { baseUrl } = service
  const ann = visit(baseUrl)
  await ann.signUp('ann')
  return {
    baseUrl,
    ann,
    folder: folder.path,
    output: () => service.output(),
    /** Somebody new, with an account. */
    newcomer: async (name: string): Promise<Visitor & { id: string }> => {
      const visitor = visit(baseUrl)
      const { body } = await visitor.signUp(name)
      return { ...visitor, id: body.user.id }
    },
    restart: async () => {
      await service.stop()
      service = await startService({ env: { ...env, DATA_DIR: folder.path, PORT: new URL(baseUrl).port } })
    },
    stop: async () => {
      await service.stop()
      folder[Symbol.dispose]()
    },
  }
}
