// How modules are written, as far as a program can see it. Names and types are `tsc`'s matter.

const correct = [
  'array-callback-return', 'constructor-super', 'for-direction', 'getter-return', 'no-async-promise-executor', 'no-class-assign',
  'no-compare-neg-zero', 'no-cond-assign', 'no-const-assign', 'no-constant-binary-expression', 'no-constant-condition',
  'no-constructor-return', 'no-control-regex', 'no-debugger', 'no-dupe-class-members', 'no-dupe-else-if', 'no-dupe-keys',
  'no-duplicate-case', 'no-duplicate-imports', 'no-empty-character-class', 'no-ex-assign', 'no-fallthrough', 'no-func-assign',
  'no-import-assign', 'no-inner-declarations', 'no-irregular-whitespace', 'no-loss-of-precision', 'no-self-assign',
  'no-self-compare', 'no-setter-return', 'no-sparse-arrays', 'no-template-curly-in-string', 'no-this-before-super',
  'no-unexpected-multiline', 'no-unmodified-loop-condition', 'no-unreachable', 'no-unsafe-finally', 'no-unsafe-negation',
  'no-unsafe-optional-chaining', 'no-unused-private-class-members', 'no-unused-vars', 'no-useless-assignment',
  'require-atomic-updates', 'use-isnan', 'valid-typeof',
];
const clear = [
  'consistent-return', 'eqeqeq', 'no-eval', 'no-extend-native', 'no-implied-eval', 'no-lonely-if', 'no-new',
  'no-new-wrappers', 'no-return-assign', 'no-sequences', 'no-shadow', 'no-throw-literal', 'no-undef-init', 'no-unneeded-ternary',
  'no-unused-expressions', 'no-useless-catch', 'no-useless-computed-key', 'no-useless-concat', 'no-useless-constructor',
  'no-useless-rename', 'no-useless-return', 'no-var', 'object-shorthand', 'prefer-const', 'prefer-rest-params',
  'prefer-spread', 'prefer-template', 'require-await', 'yoda',
];

export default [
  { ignores: ['node_modules/'] },
  { files: ['**/*.js'], linterOptions: { reportUnusedDisableDirectives: 'error' }, rules: Object.fromEntries([...correct, ...clear].map((rule) => [rule, 'error'])) },
];
