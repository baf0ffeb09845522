import type { ReactNode } from 'react'
import type { Schema, Schemas } from '../../../../../lib/api/examples.ts'
import type { Parameter } from '../../data/api-description.ts'

const MOST_DEPTH = 4

const componentName = ({ $ref = '' }: Schema) => $ref.split('/').at(-1) ?? ''

const resolved = (schema: Schema, schemas: Schemas): Schema =>
  schema.$ref === undefined
    ? schema
    : {
        ...schemas[componentName(schema)],
        ...(schema.description ? { description: schema.description } : {}),
      }

/** `string`, `Task[]`, `"asc" | "desc"` */
const typeLabel = (schema: Schema): string => {
  if (schema.$ref) return componentName(schema)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeLabel))].join(' | ')
  if (schema.type === 'array') return `${typeLabel(schema.items ?? {})}[]`
  return [schema.type ?? 'any'].flat().join(' | ')
}

type Limited = Schema & { maximum?: number; minLength?: number; maxLength?: number; maxItems?: number }

const limitLabels = ({
  format,
  minimum,
  maximum,
  maxLength,
  maxItems,
  default: given,
}: Limited): string[] => [
  ...(format ? [format] : []),
  ...(minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER
    ? [`${minimum} to ${maximum}`]
    : []),
  ...(maxLength ? [`at most ${maxLength} characters`] : []),
  ...(maxItems ? [`at most ${maxItems}`] : []),
  ...(given === undefined ? [] : [`default ${JSON.stringify(given)}`]),
]

/** Renders backticks; descriptions use no other Markdown. */
export const withCode = (text: string): ReactNode =>
  text.split('`').map((part, at) =>
    at % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: a text does not change.
      <code key={at} className="font-mono text-xs">
        {part}
      </code>
    ) : (
      part
    ),
  )

type FieldProps = {
  name: string
  type: string
  required: boolean
  description?: string | undefined
  limits: string[]
  example?: unknown
  children?: ReactNode
}

const FieldRow = ({ name, type, required, description, limits, example, children }: FieldProps) => (
  <li className="border-t py-2 first:border-t-0">
    <div className="flex flex-wrap items-baseline gap-x-2">
      <code className="font-mono font-medium [overflow-wrap:anywhere]">{name}</code>
      <span className="min-w-0 font-mono text-xs text-muted-foreground [overflow-wrap:anywhere]">{type}</span>
      {required && <span className="text-xs font-medium">required</span>}
      {limits.length > 0 && <span className="text-xs text-muted-foreground">{limits.join(', ')}</span>}
    </div>
    {description && <p className="text-muted-foreground">{withCode(description)}</p>}
    {example !== undefined && example !== '' && (
      <p className="text-xs text-muted-foreground">
        Example:{' '}
        <code className="font-mono [overflow-wrap:anywhere]">
          {typeof example === 'string' ? example : JSON.stringify(example)}
        </code>
      </p>
    )}
    {children}
  </li>
)

/** The nested object: the items of a list, or the first alternative with fields. */
const innerSchema = (schema: Schema, schemas: Schemas): Schema | undefined => {
  const inner = resolved(schema, schemas)
  if (inner.properties) return inner
  if (inner.items) return innerSchema(inner.items, schemas)
  if (typeof inner.additionalProperties === 'object') return innerSchema(inner.additionalProperties, schemas)
  return inner.anyOf?.map((each) => innerSchema(each, schemas)).find((each) => each !== undefined)
}

const Nested = ({ schema, schemas, depth }: { schema: Schema; schemas: Schemas; depth: number }) => {
  const inner = depth < MOST_DEPTH ? innerSchema(schema, schemas) : undefined
  if (!inner) return null
  return (
    <details className="mt-1">
      <summary className="text-muted-foreground hover:text-foreground">Fields of {typeLabel(schema)}</summary>
      <div className="ml-1 border-l pl-3">
        <SchemaFields schema={inner} schemas={schemas} depth={depth + 1} />
      </div>
    </details>
  )
}

export const SchemaFields = ({
  schema,
  schemas,
  depth = 0,
}: {
  schema: Schema
  schemas: Schemas
  depth?: number
}) => {
  const inner = innerSchema(schema, schemas)
  const fields = Object.entries(inner?.properties ?? {})
  if (fields.length === 0)
    return (
      <p className="py-2 text-muted-foreground">
        {withCode(resolved(schema, schemas).description ?? typeLabel(schema))}
      </p>
    )
  return (
    <ul>
      {fields.map(([name, field]) => (
        <FieldRow
          key={name}
          name={name}
          type={typeLabel(field)}
          required={inner?.required?.includes(name) === true}
          description={resolved(field, schemas).description}
          limits={limitLabels(resolved(field, schemas))}
          example={field.examples?.[0]}
        >
          <Nested schema={field} schemas={schemas} depth={depth} />
        </FieldRow>
      ))}
    </ul>
  )
}

export const ParameterFields = ({ parameters }: { parameters: readonly Parameter[] }) => (
  <ul>
    {parameters.map(({ in: place, name, required = false, description, schema, example }) => (
      <FieldRow
        key={`${place} ${name}`}
        name={name}
        type={typeLabel(schema)}
        required={required}
        description={description ?? schema.description}
        limits={[place, ...limitLabels(schema)]}
        example={example ?? schema.examples?.[0]}
      />
    ))}
  </ul>
)
