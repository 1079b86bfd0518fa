import { useEffect, useState } from 'react';
import { announce } from './announce.ts';
import { Button } from './button.tsx';

/** Copies a text to the clipboard, and says so. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      announce('Copied.');
    } catch {
      // Browsers offer the clipboard only to pages with TLS or of this machine.
      announce('The browser does not allow this page to copy. Select the text instead.');
    }
  };
  return (
    <Button tone="quiet" onClick={() => void copy()}>
      {copied ? 'Copied' : label}
    </Button>
  );
}
