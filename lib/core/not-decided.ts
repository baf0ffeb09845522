/** Why a call was not made that needed an approval until a time. */
export const NOT_DECIDED = 'it was not decided in time'

/** What the results of such calls say before it: of one that its run asked for, and of one that its run did not get back to. */
const RESULTS = ['Denied', 'Not made'].map((what) => `${what}: ${NOT_DECIDED}`)

/** Whether the result of a call says that its approval expired. */
export const isNotDecided = (result: string | undefined): boolean =>
  result !== undefined && RESULTS.includes(result)
