import { visit } from '../accounts/visitor.ts'

/** Somebody who reaches a service in local mode directly, and what people do with its access key. */
export const personAt = (baseUrl: string) => {
  const visitor = visit(baseUrl, {}, { direct: true })
  return {
    ...visitor,
    tell: (key: string) => visitor.send('POST /api/auth/verify-access-key', { key }),
    change: (key: unknown) => visitor.send('PUT /api/auth/access-key', { key }),
    may: async () => (await visitor.send('GET /api/tasks')).status === 200,
  }
}
