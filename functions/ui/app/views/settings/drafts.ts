import { useState } from 'react'
import { formatMs, parseMs } from '../../components/durations.ts'
import { settings } from '../../data/at-build.ts'
import type { Answer } from '../../data/settings.ts'
import { words } from './setting-names.ts'

export type Setting = (typeof settings)[number]

const valueAt = (answer: Answer, path: string): unknown => {
  const [group = '', name = ''] = path.split('.')
  return (answer.settings as Readonly<Record<string, Readonly<Record<string, unknown>>>>)[group]?.[name]
}

const settingText = (path: string, value: unknown): string => {
  if (Array.isArray(value)) return value.map((one) => settingText(path, one)).join(', ')
  return typeof value === 'number' && words[path]?.isDuration ? formatMs(value) : String(value ?? '')
}

/** Invalid numbers are sent as typed: the service validates. */
const parseNumber = (text: string): unknown =>
  text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)

/** Parses a text by the type of the setting. */
export const parseSetting = ({ path, shape }: Setting, text: string): unknown => {
  const number = (typed: string) =>
    (words[path]?.isDuration ? parseMs(typed) : undefined) ?? parseNumber(typed)
  if (shape.type === 'array') return text.split(',').map((part) => number(part.trim()))
  if (shape.type === 'boolean') return text === 'true'
  return shape.type === 'integer' || shape.type === 'number' ? number(text) : text
}

/** Unsaved values by path; other fields follow the service. */
export const useDrafts = (answer: Answer) => {
  const [drafts, setDrafts] = useState<Readonly<Record<string, string>>>({})
  const textNow = (path: string) => settingText(path, valueAt(answer, path))
  const changed = settings.filter(({ path }) => (drafts[path] ?? textNow(path)) !== textNow(path))
  return {
    textAt: (path: string) => drafts[path] ?? textNow(path),
    write: (path: string, text: string) => setDrafts((now) => ({ ...now, [path]: text })),
    /** Drops the present texts. What is typed later, as while they are saved, stays. */
    forget: () =>
      setDrafts((now) =>
        Object.fromEntries(Object.entries(now).filter(([path, text]) => text !== drafts[path])),
      ),
    changes: Object.fromEntries(changed.map((one) => [one.path, parseSetting(one, drafts[one.path] ?? '')])),
    count: changed.length,
  }
}
