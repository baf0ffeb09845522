import type { ErrorComponentProps } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Button } from '../components/button.tsx'
import { Problem } from '../components/problem.tsx'
import { View } from '../components/view.tsx'
import { reloadWhenReplaced } from '../replaced.ts'

/** In place of a view that could not be loaded or drawn. */
export const Failed = ({ error }: ErrorComponentProps) => {
  useEffect(() => void reloadWhenReplaced(error), [error])
  return (
    <View title="Something went wrong">
      <Problem
        error={error instanceof Error ? error.message : error}
        advice="Loading the page again may help."
      />
      <div className="px-4">
        <Button onClick={() => location.reload()}>Load the page again</Button>
      </div>
    </View>
  )
}
