import { Help } from 'commander';

/** Below this width, in characters, descriptions are below their options, and not beside them. */
const narrow = 60;
const indent = 6;

/** How help is laid out in terminals of any width, from 40 characters on. */
export const helpLayout: Partial<Help> = {
  // Commander would not break descriptions that have fewer than 40 characters of room.
  minWidthToWrap: 20,
  formatItem(term, termWidth, description, helper) {
    const width = helper.helpWidth ?? 80;
    if (width >= narrow || description === '')
      return Help.prototype.formatItem.call(helper, term, termWidth, description, helper);
    const lines = helper.boxWrap(description, width - indent).split('\n');
    return [`  ${term}`, ...lines.map((line) => `${' '.repeat(indent)}${line}`)].join('\n');
  },
};
