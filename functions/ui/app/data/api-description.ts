import { useQuery } from '@tanstack/react-query'
import type { Schema, Schemas } from '../../../../lib/api/examples.ts'
import { client } from './client.ts'

export type Parameter = {
  in: 'path' | 'query' | 'header'
  name: string
  required?: boolean
  description?: string
  example?: unknown
  schema: Schema
}
type Content = { schema: Schema; example?: unknown }
export type Operation = {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  security: readonly object[]
  parameters?: Parameter[]
  requestBody?: { content: Readonly<Record<string, Content>> }
  responses: Readonly<Record<string, { description: string; content?: Readonly<Record<string, Content>> }>>
}
export type Described = Operation & { method: string; path: string }
type Document = {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: { schemas: Schemas }
}

const read = async (signal: AbortSignal) => {
  const { paths, components } = (await client.openApi({}, { signal })) as unknown as Document
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]): Described => ({ ...operation, method: method.toUpperCase(), path }),
    ),
  )
  return { operations, schemas: components.schemas }
}

export type ApiDescription = Awaited<ReturnType<typeof read>>

/** Constant while the service runs. */
export const useApiDescription = () =>
  useQuery({
    queryKey: ['api-description'],
    queryFn: ({ signal }) => read(signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
