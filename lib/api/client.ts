import type * as z from 'zod'
import { jsonText } from '../core/json.ts'
import type { Route, Routes } from '../http/route.ts'
import { ApiError } from './api-error.ts'

type Given = { params?: Values; query?: Values; body?: unknown }
type Values = Readonly<Record<string, unknown>>
type HttpRequest = {
  url: string
  init: { method: string; headers: Record<string, string>; body?: string }
}

export const toRequest = (
  { method, path, body, rawBody: takesBody = body }: Route,
  baseUrl: string,
  given: Given,
): HttpRequest => ({
  url: `${baseUrl.replace(/\/+$/, '')}${filled(path, given.params ?? {})}${queryString(given.query ?? {})}`,
  init: {
    method,
    headers: { accept: 'application/json', ...(takesBody ? { 'content-type': 'application/json' } : {}) },
    ...(takesBody ? { body: jsonText(given.body ?? {}) } : {}),
  },
})

const filled = (path: string, params: Values) =>
  path.replaceAll(/\{([^}]+)\}/g, (_whole, name: string) => encodeURIComponent(String(params[name])))

const queryString = (query: Values) => {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined)
  const text = new URLSearchParams(
    entries.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  return text && `?${text}`
}

/** A query value as its text or as its meaning: `'20'` or 20, `'a,b'` or `['a', 'b']`. */
type Query<Q extends z.ZodType> = Loose<z.input<Q>, z.output<Q>>
type Loose<In, Out> = { [K in keyof In]: In[K] | (K extends keyof Out ? Out[K] : never) }

type Part<Name extends string, Given> = object extends Given
  ? { [N in Name]?: Given }
  : { [N in Name]: Given }

/** The input of a call; parts without required fields are optional. */
export type CallInput<R extends Route> = (R['params'] extends z.ZodType
  ? Part<'params', z.input<R['params']>>
  : unknown) &
  (R['query'] extends z.ZodType ? Part<'query', Query<R['query']>> : unknown) &
  (RouteBody<R> extends z.ZodType ? Part<'body', z.input<RouteBody<R>>> : unknown)

type RouteBody<R extends Route> = R['body'] extends z.ZodType ? R['body'] : R['rawBody']

export type CallOptions = { signal?: AbortSignal; headers?: Readonly<Record<string, string>> }

type Arguments<R extends Route> =
  object extends CallInput<R>
    ? [input?: CallInput<R>, options?: CallOptions]
    : [input: CallInput<R>, options?: CallOptions]

/**
 * Calls a route and resolves to its parsed body. Rejects with `ApiError` unless the status is 2xx and the body is JSON, and
 * with the error of `fetch` when there is no answer. `raw` resolves to the Response instead, to be read as a stream or as
 * text.
 */
export type Call<R extends Route> = ((...given: Arguments<R>) => Promise<z.output<R['response']>>) & {
  raw(...given: Arguments<R>): Promise<Response>
}

export type Client<R extends Routes> = { readonly [Name in keyof R]: Call<R[Name]> }

export type ClientSettings = {
  /** The address of the service, such as `https://tasks.example.com`; empty in a page that the service serves. */
  baseUrl: string
  fetch?: typeof fetch
  headers?: Readonly<Record<string, string>>
}

/** A client with a method per route, for browsers too: `client.getTask({ params: { id } })`. */
export const createClient = <const R extends Routes>(routes: R, settings: ClientSettings): Client<R> =>
  Object.fromEntries(
    Object.entries(routes).map(([name, route]) => [name, createCall(route, settings)]),
  ) as unknown as Client<R>

const createCall = (route: Route, { baseUrl, headers, fetch: send = globalThis.fetch }: ClientSettings) => {
  const raw = async (input: object = {}, options: CallOptions = {}): Promise<Response> => {
    const { url, init } = toRequest(route, baseUrl, input)
    const response = await send(url, {
      ...init,
      headers: { ...init.headers, ...headers, ...options.headers },
      ...(options.signal ? { signal: options.signal } : {}),
    })
    if (!response.ok) throw new ApiError(response, await parseBody(response))
    return response
  }
  const call = async (input?: object, options?: CallOptions) => parseBody(await raw(input, options))
  return Object.assign(call, { raw })
}

const parseBody = async (response: Response): Promise<unknown> => {
  const text = await response.text()
  if (!response.headers.get('content-type')?.includes('json')) {
    // A success without JSON comes from another server, such as the page of a proxy.
    if (response.ok) throw new ApiError(response, text)
    return text
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    // The body was cut off: an error keeps the received part, a success has no value.
    if (response.ok) throw error
    return text
  }
}
