import { Check, Copy as Icon } from 'lucide-react'
import { useState } from 'react'
import { Button } from './button.tsx'
import { copyText } from './copy-text.ts'
import { withCommand } from './platform.ts'
import { toast } from './toast.tsx'

const SHOWN_MS = 1_500

export const Copy = ({ text, label = 'Copy' }: { text: string; label?: string }) => {
  const [isDone, setDone] = useState(false)
  const copy = async (beside: Element) => {
    if (!(await copyText(text, beside)))
      return toast.failed('Not copied', `Select the text and press ${withCommand('C')}`)
    setDone(true)
    setTimeout(() => setDone(false), SHOWN_MS)
  }
  return (
    <Button
      kind="ghost"
      size="icon"
      aria-label={isDone ? 'Copied' : label}
      title={label}
      onClick={({ currentTarget }) => void copy(currentTarget)}
    >
      {isDone ? <Check size={14} /> : <Icon size={14} />}
    </Button>
  )
}

export const Command = ({ text }: { text: string }) => (
  <div className="flex max-w-full items-center gap-1 rounded-md border bg-muted/60 py-0.5 pr-0.5 pl-3 text-left">
    <code className="min-w-0 flex-1 py-1.5 font-mono text-xs [overflow-wrap:anywhere] whitespace-pre-wrap">
      {text}
    </code>
    <Copy text={text} label="Copy the command" />
  </div>
)
