import { Button } from './button.tsx'

type Props = { options: readonly string[]; isBusy: boolean; onAnswer: (option: string) => void }

/** The answers that an agent suggests with its question. A click sends one. */
export const SuggestedAnswers = ({ options, isBusy, onAnswer }: Props) =>
  options.length > 0 && (
    <ul aria-label="Suggested answers" className="flex flex-wrap gap-2">
      {[...new Set(options)].map((option) => (
        <li key={option} className="max-w-full">
          <Button
            size="small"
            needsService
            disabled={isBusy}
            className="h-auto min-h-7 max-w-full py-1 text-left whitespace-pre-wrap [overflow-wrap:anywhere]"
            onClick={() => onAnswer(option)}
          >
            {option}
          </Button>
        </li>
      ))}
    </ul>
  )
