type Marks = readonly (readonly [mark: string, name: string])[]

/** Browsers say that they are others as well, so the first mark that is found counts. */
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

/** What a browser is called by people; a program that is none is shown by what it says of itself. */
export const agentName = (userAgent: string | undefined): string => {
  if (!userAgent) return 'Unknown program'
  const browser = firstIn(browsers, userAgent)
  const system = firstIn(systems, userAgent)
  return browser && system ? `${browser} on ${system}` : userAgent
}
