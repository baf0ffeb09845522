import { brokenPromise } from '../api/promise.ts'
import { rawSender } from '../journeys/raw.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests reach into the bodies of many routes.
type Body = any
export type Reply = { status: number; headers: Readonly<Record<string, unknown>>; body: Body; cookie: string }

export const PASSWORD = 'correct horse 1'

let visitors = 0
/** An address of its own for each visitor, so that one does not use up the limits of another. */
const newAddress = () => {
  visitors += 1
  return `198.51.${visitors >> 8}.${visitors & 255}`
}

/**
 * A browser's view of the service: sends the cookie that it was last given. The service believes one proxy; `direct`
 * there is none.
 */
export const visit = (
  baseUrl: string,
  headers: Readonly<Record<string, string>> = {},
  { direct = false } = {},
) => {
  const sender = rawSender(baseUrl)
  const address = newAddress()
  let cookie = ''
  const send = async (
    request: string,
    body?: object,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Reply> => {
    const [method = 'GET', path = '/'] = request.split(' ')
    const answer = await sender.send({
      method,
      path,
      headers: {
        ...(direct ? {} : { 'x-forwarded-for': address }),
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(cookie ? { cookie: `svc_session=${cookie}` } : {}),
        ...headers,
        ...more,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const broken = brokenPromise(method, path, { status: answer.status, body: answer.json })
    if (broken) throw new Error(broken)
    const set = answer.headers['set-cookie']?.[0] ?? ''
    if (set !== '') cookie = /^svc_session=([^;]*)/.exec(set)?.[1] ?? ''
    return { status: answer.status, headers: answer.headers, body: answer.json, cookie: set }
  }
  return {
    send,
    /** Signs up with a name, the same in the address. */
    signUp: (name: string, more: object = {}) =>
      send('POST /api/auth/signup', { email: `${name}@example.com`, password: PASSWORD, name, ...more }),
    logIn: (name: string, password = PASSWORD) =>
      send('POST /api/auth/login', { email: `${name}@example.com`, password }),
    token: () => cookie,
    setToken: (token: string) => {
      cookie = token
    },
    [Symbol.dispose]: () => sender[Symbol.dispose](),
  }
}
export type Visitor = ReturnType<typeof visit>
