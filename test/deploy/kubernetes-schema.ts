type Fields = Readonly<Record<string, unknown>>
export type Manifest = Fields & { apiVersion: string; kind: string; metadata: { name: string } }
type Model = new (data: Manifest) => { validate(): void }

/** The faults of a manifest: what the schema of its kind refuses, and fields below its first ones that it does not have. */
export const manifestFaults = async (manifest: Manifest): Promise<string[]> => {
  const { apiVersion, kind } = manifest
  const models = (await import(`kubernetes-models/${apiVersion}/${kind}`)) as Record<string, Model>
  const read = new Set<string>()
  const errors: string[] = []
  try {
    // The constructor copies what it is given.
    const model = new (models[kind] as Model)(manifest)
    Object.assign(model, watched(manifest, '', read)).validate()
  } catch (thrown) {
    errors.push((thrown as Error).message)
  }
  const unknown = paths(manifest, '').filter((path) => !read.has(path))
  return [...errors, ...unknown.map((path) => `${path} is no field`)]
}

/** The compiled schemas look at the fields that they know, and ignore others: what they look at is noted. */
const watched = (data: unknown, path: string, read: Set<string>): unknown =>
  typeof data !== 'object' || data === null
    ? data
    : new Proxy(data, {
        get: (target, key) => {
          const value = Reflect.get(target, key)
          if (typeof key === 'symbol' || !Object.hasOwn(target, key) || key === 'length') return value
          read.add(`${path}/${key}`)
          return watched(value, `${path}/${key}`, read)
        },
      })

const paths = (data: unknown, path: string): string[] =>
  typeof data !== 'object' || data === null
    ? []
    : Object.entries(data).flatMap(([key, value]) => [`${path}/${key}`, ...paths(value, `${path}/${key}`)])
