/** What a part of a form begins with, and what is wrong with it: texts by the name of their field. */
export type TypedFields = {
  typed: Readonly<Record<string, string>>
  errors: Readonly<Record<string, string>>
}
