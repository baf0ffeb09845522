import { useState } from 'react'
import { cutText } from '../../../../lib/core/cut-text.ts'
import { Button } from './button.tsx'
import { formatNumber } from './format.ts'
import { TextPieces } from './plain-text.tsx'
import { shownArguments } from './shown-arguments.ts'
import { visibleText } from './visible-text.ts'

const LINES = 12
const LETTERS = 1_200

type Props = {
  label: string
  values: unknown
  /** Shows every argument uncut: a person who approves a call has to see all of it. */
  isWhole?: boolean
}

export const Arguments = ({ label, values, isWhole = false }: Props) => {
  const given = Object.entries(shownArguments(values))
  if (given.length === 0) return <p className="text-muted-foreground">No arguments</p>
  return (
    <dl
      aria-label={label}
      className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 rounded-md border bg-muted/60 px-3 py-2 max-md:grid-cols-1 max-md:gap-y-0.5"
    >
      {given.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="leading-5 text-muted-foreground [overflow-wrap:anywhere]">
            <TextPieces text={name} />
          </dt>
          <dd className="min-w-0 max-md:pb-1.5">
            <Value text={argumentText(value)} name={name} isWhole={isWhole} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** An array of strings is shown as a command line, with words that contain spaces in quotes. */
const argumentText = (value: unknown): string => {
  if (typeof value === 'string') return value
  const isWords = Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string')
  if (!isWords) return JSON.stringify(value, undefined, 2)
  return value.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(' ')
}

const firstLines = (text: string): string => cutText(text, LETTERS).split('\n').slice(0, LINES).join('\n')

const Value = ({ text, name, isWhole: isNeverCut }: { text: string; name: string; isWhole: boolean }) => {
  const [isWhole, setWhole] = useState(false)
  const start = isNeverCut ? text : firstLines(text)
  const isCut = start.length < text.length
  return (
    <>
      <pre className="font-mono text-xs leading-5 [overflow-wrap:anywhere] whitespace-pre-wrap">
        <TextPieces text={visibleText(isWhole ? text : start)} />
        {isCut && !isWhole && '…'}
      </pre>
      {isCut && (
        <Button size="small" className="mt-1 mb-1" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? `Show less of ${name}` : `Show all of ${name}, ${sizeLabel(text)}`}
        </Button>
      )}
    </>
  )
}

const sizeLabel = (text: string) => {
  const lines = text.split('\n').length
  return lines > LINES ? `${formatNumber(lines)} lines` : `${formatNumber(text.length)} characters`
}
