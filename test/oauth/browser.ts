import type { ProviderName } from '../../lib/oauth/schema.ts'
import type { TestProvider } from './provider.ts'

export type Page = { status: number; location: string | null; cookie: string | null; body: unknown }

// biome-ignore lint/suspicious/noExplicitAny: tests reach into the bodies of several routes.
type Body = any

/** A browser with cookies of its own, which go where their path says, that is sent nowhere by itself. */
export const createBrowser = (baseUrl: string, provider: TestProvider) => {
  const jar = new Map<string, { value: string; path: string }>()

  const cookiesFor = (path: string) =>
    [...jar]
      .filter(([, cookie]) => path.startsWith(cookie.path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ')

  const keep = (header: string) => {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? []
    const path = /; Path=([^;]+)/.exec(header)?.[1] ?? '/'
    if (value === '') jar.delete(name)
    else jar.set(name, { value, path })
  }

  const ask = async (path: string, init: RequestInit = {}) => {
    const cookie = cookiesFor(new URL(path, baseUrl).pathname)
    const answer = await fetch(new URL(path, baseUrl), {
      ...init,
      redirect: 'manual',
      headers: { ...(cookie ? { cookie } : {}), ...init.headers },
    })
    const set = answer.headers.get('set-cookie')
    if (set !== null) keep(set)
    const text = await answer.text()
    return {
      status: answer.status,
      location: answer.headers.get('location'),
      cookie: set,
      text,
      body: (text.startsWith('{') ? JSON.parse(text) : undefined) as Body,
    }
  }

  const post = (path: string, body: object) =>
    ask(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  /** Goes to the provider, agrees there, and is sent back to this address, which is not visited yet. */
  const comeBack = async (name: ProviderName, query = ''): Promise<string> => {
    const { status, location, text } = await ask(`/api/auth/${name}${query}`)
    if (location === null) throw new Error(`${status} ${text}`)
    const back = await provider.agree(location)
    return back.pathname + back.search
  }

  return {
    ask,
    post,
    comeBack,
    jar,
    /** The whole way to a provider and back. */
    signIn: async (name: ProviderName, query = '') => ask(await comeBack(name, query)),
    me: async () => (await ask('/api/auth/me')).body.user,
    signUp: (email: string) =>
      post('/api/auth/signup', { email, password: 'correct horse 1', name: 'Somebody' }),
  }
}
export type Browser = ReturnType<typeof createBrowser>
