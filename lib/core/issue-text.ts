import type * as z from 'zod'
import { shortenedText } from './cut-text.ts'

type Issue = Parameters<z.core.$ZodErrorMap>[0]
type IssueWithCode<Code extends Issue['code']> = Extract<Issue, { code: Code }>

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

const formats: Readonly<Record<string, string>> = {
  email: 'an email address',
  url: 'a URL',
  datetime: 'an ISO 8601 date and time',
  date: 'an ISO 8601 date',
}

/** Units of sizes. A number has none. */
const units: Readonly<Record<string, string>> = { string: 'character', array: 'item', set: 'item' }

/** The message of a validation issue, after the field's name: "must not be empty". A schema's own goes first. */
export const issueText = (issue: Issue): string => {
  if (issue.input === undefined && issue.code.startsWith('invalid_')) return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`
    case 'too_small':
    case 'too_big':
      return sizeText(issue)
    case 'invalid_format':
      return formats[issue.format] ? `must be ${formats[issue.format]}` : 'has the wrong format'
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.join(', ')}`
    case 'invalid_key':
      return `has a name that ${issue.issues[0]?.message}`
    case 'invalid_union':
      return unionText(issue)
    default:
      return 'is not valid'
  }
}

const sizeText = (issue: IssueWithCode<'too_small'> | IssueWithCode<'too_big'>): string => {
  const isLeast = issue.code === 'too_small'
  const size = Number(isLeast ? issue.minimum : issue.maximum)
  const unit = units[issue.origin]
  const [inclusive, exclusive] = isLeast ? ['at least', 'more than'] : ['at most', 'less than']
  if (unit === undefined) return `must be ${issue.inclusive ? inclusive : exclusive} ${size}`
  if (issue.exact) return `must have exactly ${counted(size, unit)}`
  return isLeast && size === 1 ? 'must not be empty' : `must have ${inclusive} ${counted(size, unit)}`
}

const counted = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`

type UnionIssue = Pick<IssueWithCode<'invalid_union'>, 'errors' | 'discriminator'> & { options?: unknown }
type FoundIssue = z.core.$ZodIssue

/** The forms of a union whose type the value has, else all. */
const matchingForms = ({ errors }: UnionIssue) => {
  const alike = errors.filter(
    (issues) => !issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
  )
  return alike.length > 0 ? alike : errors
}

/** The message of each form of a union, where the value itself is at fault, not a field of it. */
const unionText = (issue: UnionIssue): string => {
  if (issue.discriminator !== undefined && Array.isArray(issue.options))
    return `must be one of ${issue.options.join(', ')}`
  const texts = matchingForms(issue)
    .flat()
    .flatMap(({ path, message }) => (path.length === 0 ? [message] : []))
  return [...new Set(texts)].join(' or ') || 'is not valid'
}

/** An issue of a parse with `issueText`; of a union the issues of the only form that has the value's type. */
export const issuesWithin = (issue: FoundIssue): readonly FoundIssue[] => {
  if (issue.code !== 'invalid_union' || issue.message !== unionText(issue)) return [issue]
  const [form, ...more] = matchingForms(issue)
  if (form === undefined || more.length > 0) return [issue]
  return form.flatMap((each) => issuesWithin({ ...each, path: [...issue.path, ...each.path] }))
}

const LONGEST_VALUE = 61

/** The message of an issue of one value of a list, which it names. */
export const valueText = (value: string, { code, message, ...issue }: FoundIssue): string => {
  const quoted = JSON.stringify(shortenedText(value, LONGEST_VALUE))
  const isOfMany = code === 'invalid_value' && 'values' in issue && issue.values.length > 1
  return `${quoted} ${isOfMany ? message.replace(/^must be one of/, 'is not one of') : message}`
}
