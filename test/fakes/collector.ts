import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { onLoopback } from '../../offline/loopback.ts'

type Value = { stringValue?: string; intValue?: string; arrayValue?: { values: Value[] } }
type Attributes = readonly { key: string; value: Value }[]
type WireSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Attributes
  status: { code?: number }
}
type Exported = {
  resourceSpans: { resource: { attributes: Attributes }; scopeSpans: { spans: WireSpan[] }[] }[]
}

const plain = ({ stringValue, intValue, arrayValue }: Value): unknown =>
  arrayValue ? arrayValue.values.map(plain) : (stringValue ?? Number(intValue))
const plainAttributes = (attributes: Attributes): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]))

/** A collector of OTLP/HTTP on loopback. `answer` is the status, or never; a list has one for each request, the last for all after. */
export const startCollector = async (answer: number | 'never' | readonly number[] = 200) => {
  const spans: (Omit<WireSpan, 'attributes'> & { attributes: Record<string, unknown> })[] = []
  const requests: { path: string | undefined; headers: Record<string, unknown>; body: Exported }[] = []
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as Exported
    requests.push({ path: request.url, headers: request.headers, body })
    for (const { scopeSpans } of body.resourceSpans)
      for (const scope of scopeSpans)
        spans.push(...scope.spans.map((span) => ({ ...span, attributes: plainAttributes(span.attributes) })))
    const status = typeof answer === 'object' ? (answer[requests.length - 1] ?? answer.at(-1)) : answer
    if (typeof status === 'number')
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  })
  const { url, stop } = await onLoopback(server)
  return {
    url,
    spans,
    requests,
    resource: () => plainAttributes(requests[0]?.body.resourceSpans[0]?.resource.attributes ?? []),
    close: stop,
  }
}
