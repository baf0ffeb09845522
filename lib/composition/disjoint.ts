type Union<Parts extends readonly object[]> = Parts extends readonly [
  infer First,
  ...infer Rest extends readonly object[],
]
  ? First & Union<Rest>
  : unknown

/** One object with the members of all parts. Throws for a name that two parts have: one of the members would be lost. */
export const disjoint = <Parts extends readonly object[]>(...parts: Parts): Union<Parts> => {
  const names = parts.flatMap(Object.keys)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw new Error(`Two parts have a member ${twice}`)
  // Each member has the type that its only part gives it.
  return Object.assign({}, ...parts)
}
