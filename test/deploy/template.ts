/** Any value of a CloudFormation template; the tests say by `toMatchObject` what they expect of it. */
// biome-ignore lint/suspicious/noExplicitAny: the shapes are CloudFormation's, hundreds of them, and only read here.
type Properties = Record<string, any>

export type Resource = {
  Type: string
  Properties: Properties
  DeletionPolicy?: string
  UpdateReplacePolicy?: string
}
export type Template = { Resources: Readonly<Record<string, Resource>>; Outputs: Properties }

/** The resources of one type, by their logical names. */
export const ofType = ({ Resources }: Pick<Template, 'Resources'>, type: string): [string, Resource][] =>
  Object.entries(Resources).filter(([, resource]) => resource.Type === type)

/** The logical names that a value refers to, at any depth: by Ref, by Fn::GetAtt and inside of Fn::Sub. */
export const referencesIn = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(referencesIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => {
    if (key === 'Ref') return [String(item)]
    if (key === 'Fn::GetAtt') return [String((item as string[])[0])]
    if (key === 'Fn::Sub') return [...String(item).matchAll(/\$\{([^.}]+)/g)].map(([, name = '']) => name)
    return referencesIn(item)
  })
}

type Statement = { Effect: string; Action: string[]; Resource: unknown[] }

/** The statements of a function's role. */
export const policyStatements = ({ Resources }: Template, role: string): Statement[] =>
  Resources[role]?.Properties.Policies.flatMap(
    ({ PolicyDocument }: { PolicyDocument: { Statement: Statement[] } }) => PolicyDocument.Statement,
  )
