type Marks = readonly (readonly [mark: string, name: string])[]

/** User agents name other browsers as well: the first match counts. */
const browsers: Marks = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
]
const systems: Marks = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS', 'macOS'],
  ['Linux', 'Linux'],
]

const firstIn = (marks: Marks, text: string) => marks.find(([mark]) => text.includes(mark))?.[1]

/** Programs other than browsers are shown by their user agent. */
export const agentName = (userAgent: string | undefined): string => {
  if (!userAgent) return 'Unknown client'
  const browser = firstIn(browsers, userAgent)
  const system = firstIn(systems, userAgent)
  return browser && system ? `${browser} on ${system}` : userAgent
}
